"""Tables as HTML, for what shows itself in a notebook."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def notebook_table(
    caption: str, rows: Iterable[Sequence[object]], header: Sequence[str] = (), note: str = ""
) -> str:
    r"""A table whose first column names its rows; all is text, and nothing needs a style sheet.

    >>> print(notebook_table("Two", [("rows", "7 < 8")]).replace("><", ">\n<"))
    <table>
    <caption>Two</caption>
    <tbody>
    <tr>
    <th scope="row">rows</th>
    <td>7 &lt; 8</td>
    </tr>
    </tbody>
    </table>
    """
    lines = []
    for first, *others in rows:
        cells = "".join(f"<td>{escape(str(one))}</td>" for one in others)
        lines.append(f'<tr><th scope="row">{escape(str(first))}</th>{cells}</tr>')
    heads = "".join(f'<th scope="col">{escape(one)}</th>' for one in header)
    head = f"<thead><tr>{heads}</tr></thead>" if heads else ""
    text = f"<table><caption>{escape(caption)}</caption>{head}<tbody>{''.join(lines)}</tbody></table>"
    return f"<div>{text}<p>{escape(note)}</p></div>" if note else text
