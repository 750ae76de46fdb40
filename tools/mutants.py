"""The mutants of a module: its source with one small change each.

A change is made in the syntax tree, and the tree is written out again. What is changed: comparison,
arithmetic and Boolean operators, ``not`` and signs, conditions, numbers, True and False, the digits of
format specifications, functions that have an opposite (``min`` and ``max``, ``any`` and ``all``, ...),
the order of the first two arguments, keyword arguments (dropped), the value that is returned,
statements (deleted). What is not: text, annotations, decorators, assertions and their like (``strict=``
of ``zip``), what an error says, and what only a type checker sees.
"""

from __future__ import annotations

import ast
import copy
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

COMPARISONS = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_PAIRS = "min max, any all, minimum maximum, argmin argmax, floor ceil, log exp, fmin fmax, sum prod"
OPPOSITES = {a: b for pair in _PAIRS.split(", ") for a, b in (pair.split(), pair.split()[::-1])}
# The order of their arguments does not matter, or is an error that every test would find.
SYMMETRIC = {"min", "max", "minimum", "maximum", "isclose", "dist", "hypot", "isinstance", "TypeVar"}
NEGATED = (ast.Eq, ast.NotEq, ast.Is, ast.IsNot, ast.In, ast.NotIn)
DIGITS = re.compile(r"(?<=\.)\d+")
SPECIFICATION = re.compile(r"[<>+,0]*\.\d+[efg%]")


@dataclass(frozen=True)
class Mutant:
    """One change: where it is, what it is, and the source of the module with it."""

    module: str
    function: str  # "" at the level of the module
    lines: tuple[int, int]  # of the statement, in the original
    imported: bool  # whether the line runs when the module is imported
    change: str
    source: str

    @property
    def name(self) -> str:
        where = f"{self.function}: " if self.function else ""
        return f"{self.module}:{self.lines[0]}: {where}{self.change}"


@dataclass(frozen=True)
class Site:
    """A node that may be changed, where it hangs in the tree, and the code around it."""

    parent: ast.AST
    field: str
    at: int | None  # in a list
    node: ast.AST
    anchor: ast.AST  # what a description of the change shows
    statement: ast.stmt
    function: str
    imported: bool

    def put(self, node: ast.AST) -> None:
        if self.at is None:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.at] = node


def mutants_of(module: str, source: str) -> list[Mutant]:
    """Every mutant of a module, in the order of its lines."""
    tree = ast.parse(source)
    parts = list(map(ast.unparse, tree.body))
    found: list[Mutant] = []
    seen: Counter[tuple[str, str]] = Counter()
    for at, top in enumerate(tree.body):
        for site in _sites(ast.Module([top], []), top, None, "", True):
            for new in _changes(site):
                change, changed = _changed(site, new, top)
                if changed == parts[at]:
                    continue
                seen[site.function, change] += 1
                if (times := seen[site.function, change]) > 1:
                    change += f" #{times}"
                text = "\n".join([*parts[:at], changed, *parts[at + 1 :]]) + "\n"
                lines = _lines_of(site.statement)
                found.append(Mutant(module, site.function, lines, site.imported, change, text))
    return found


def _changed(site: Site, new: ast.AST, top: ast.stmt) -> tuple[str, str]:
    """A change in words, and the statement of the module with it."""
    before = ast.unparse(site.anchor)
    site.put(new)
    after = ast.unparse(new if site.anchor is site.node else site.anchor)
    changed = ast.unparse(new if site.node is top else top)
    site.put(site.node)
    return f"{_one_line(before)} => {_one_line(after)}", changed


def unchanged(source: str) -> str:
    """The source as a mutant is written, without a change: it must pass every test."""
    return "\n".join([*map(ast.unparse, ast.parse(source).body), "_unused = None\n"])


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _lines_of(statement: ast.stmt) -> tuple[int, int]:
    """The lines of a statement, without the statements in it."""
    body = getattr(statement, "body", None)
    last = body[0].lineno - 1 if body else statement.end_lineno
    return statement.lineno, max(statement.lineno, last or 0)


def _sites(
    tree: ast.AST, anchor: ast.AST, statement: ast.stmt | None, function: str, imported: bool
) -> Iterator[Site]:
    for parent, field, at, node in _children(tree):
        if _is_skipped(field, node):
            continue
        here, name, at_import = node if isinstance(node, ast.stmt) else statement, function, imported
        assert here is not None
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            name = f"{function}.{node.name}" if function else node.name
        if isinstance(parent, ast.FunctionDef) and field == "body":
            at_import = False
        shown = anchor if _is_small(node) else node
        yield Site(parent, field, at, node, shown, here, name, at_import)
        yield from _sites(node, shown if _is_small(node) else node, here, name, at_import)


def _children(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None, ast.AST]]:
    for field, value in ast.iter_fields(tree):
        if isinstance(value, ast.AST):
            yield tree, field, None, value
        elif isinstance(value, list):
            for at, node in enumerate(value):
                if isinstance(node, ast.AST):
                    yield tree, field, at, node


def _is_small(node: ast.AST) -> bool:
    """Whether a change of this node cannot be understood without what is around it."""
    small = (ast.Constant, ast.keyword, ast.comprehension, ast.Slice, ast.FormattedValue)
    return isinstance(node, small) or (
        isinstance(node, ast.JoinedStr) or (isinstance(node, ast.UnaryOp) and _is_small(node.operand))
    )


def _is_skipped(field: str, node: ast.AST) -> bool:
    if field in ("annotation", "returns", "decorator_list", "exc", "cause", "msg", "ctx", "op", "ops"):
        return True
    if isinstance(node, (ast.Assert, ast.Import, ast.ImportFrom, ast.operator)):
        return True
    if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
        return True
    if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
        return True
    if isinstance(node, ast.Call) and _called(node).endswith(("Error", "warn", "cast")):
        return True
    return isinstance(node, ast.keyword) and node.arg == "strict"


def _called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _changes(site: Site) -> Iterator[ast.AST]:
    """What may stand in the place of a node."""
    node = site.node
    if isinstance(node, ast.stmt):
        yield from _statements(node)
    elif isinstance(node, ast.expr):
        if site.field in ("test", "ifs") and _is_worth_negating(node):
            yield ast.UnaryOp(ast.Not(), node)
        yield from _expressions(node, site)


def _statements(node: ast.stmt) -> Iterator[ast.AST]:
    if isinstance(node, ast.Return) and node.value is not None and not _is(node.value, None):
        yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.AugAssign):
        if type(node.op) in ARITHMETIC:
            yield ast.AugAssign(node.target, ARITHMETIC[type(node.op)](), node.value)
        yield ast.Pass()
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Continue()
    elif _is_deletable(node):
        yield ast.Pass()


def _is_deletable(node: ast.stmt) -> bool:
    """Whether a statement does something, but defines no name."""
    if isinstance(node, ast.Expr):
        return not isinstance(node.value, (ast.Constant, ast.Yield))
    if isinstance(node, ast.Assign):
        return isinstance(node.targets[0], (ast.Attribute, ast.Subscript))
    return isinstance(node, ast.Raise)


def _expressions(node: ast.expr, site: Site) -> Iterator[ast.AST]:
    if isinstance(node, ast.Compare):
        for at, op in enumerate(node.ops):
            new = copy.copy(node)
            new.ops = [*node.ops[:at], COMPARISONS[type(op)](), *node.ops[at + 1 :]]
            yield new
    elif isinstance(node, ast.BinOp):
        is_type = isinstance(node.op, ast.BitOr) and site.imported
        if type(node.op) in ARITHMETIC and not is_type and not _is_text(node):
            yield ast.BinOp(node.left, ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, (ast.Name, ast.Attribute)):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in OPPOSITES and (site.field == "func" or isinstance(node, ast.Attribute)):
            yield _renamed(node, OPPOSITES[name])
    elif isinstance(node, ast.Call):
        yield from _calls(node)


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    value = node.value
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        yield ast.Constant(value - 1)
    elif isinstance(value, float):
        yield ast.Constant(2.0 * value or 1.0)
    elif isinstance(value, str) and SPECIFICATION.fullmatch(value):
        yield ast.Constant(DIGITS.sub(lambda digits: str(int(digits[0]) + 1), value))


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    starred = any(isinstance(one, ast.Starred) for one in node.args[:2])
    if len(node.args) > 1 and not starred and _called(node) not in SYMMETRIC:
        first, second, *rest = node.args
        yield ast.Call(node.func, [second, first, *rest], node.keywords)
    for at, keyword in enumerate(node.keywords):
        if keyword.arg not in (None, "strict"):
            yield ast.Call(node.func, node.args, [*node.keywords[:at], *node.keywords[at + 1 :]])


def _renamed(node: ast.Name | ast.Attribute, name: str) -> ast.expr:
    if isinstance(node, ast.Name):
        return ast.Name(name, node.ctx)
    return ast.Attribute(node.value, name, node.ctx)


def _is(node: ast.expr, value: object) -> bool:
    return isinstance(node, ast.Constant) and node.value is value


def _is_text(node: ast.BinOp) -> bool:
    sides = (node.left, node.right)
    return any(
        isinstance(side, ast.JoinedStr)
        or (isinstance(side, ast.Constant) and isinstance(side.value, (str, bytes)))
        or (isinstance(side, ast.BinOp) and _is_text(side))
        for side in sides
    )


def _is_worth_negating(test: ast.expr) -> bool:
    """Whether no other change negates this condition already."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        return not isinstance(test.ops[0], NEGATED)
    return not (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))
