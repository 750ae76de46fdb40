"""Those whom `auto` is compared with: their settings, and how each reads a stream row by row."""

from .base import Rival
from .boosting import Boosting
from .descent import Descent
from .ours import Ours
from .riverside import Forest, Logistic
from .wabbit import Wabbit

RIVALS: dict[str, type[Rival]] = {
    one.name: one for one in (Wabbit, Descent, Logistic, Forest, Boosting, Ours)
}
