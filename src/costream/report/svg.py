"""The SVG text of a figure: made short, and fit to stand in an HTML page."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence

import numpy as np

FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"


def plain(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return re.sub(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]", " ", str(text))


def tidy(text: str, indexed: Sequence[str], heading: str, mark: str) -> str:
    """The SVG without what a page does not need, with a title, and with indices of some names."""
    used = set(re.findall(r'(?:href="|url\()#([^")]+)', text))
    root = _clean(ET.fromstring(text), used)[0]
    for element in list(root.iter("text")):
        _set_indices(element, indexed)
    width, height = map(float, root.attrib["viewBox"].split()[2:])
    root.attrib = {
        "xmlns": SVG,
        "xmlns:xlink": XLINK,
        "width": f"{width / 0.72:.0f}",
        "height": f"{height / 0.72:.0f}",
        "viewBox": f"0 0 {width:g} {height:g}",
        "role": "img",
        "aria-labelledby": f"{mark}-title",
        "style": f"font-family:{FONTS};stroke-linejoin:round",
    }
    root.insert(0, ET.Element("title", id=f"{mark}-title"))
    root[0].text = heading
    return ET.tostring(root, encoding="unicode")


def _clean(element: ET.Element, used: set[str]) -> list[ET.Element]:
    """The element, short, with an id only if that is used; its children if it merely wraps them."""
    tag = element.tag = element.tag.rpartition("}")[2]
    name = element.get("id", "")
    kept = [part for child in element for part in _clean(child, used)]
    attributes = {
        key.replace(f"{{{XLINK}}}", "xlink:"): _short(key, value)
        for key, value in element.items()
        if (key != "id" or name in used) and not value.startswith("rotate(-0 ")
    }
    styles = {part.get("style") for part in kept}
    if tag == "g" and len(kept) > 1 and len(styles) == 1 and None not in styles:
        attributes["style"] = styles.pop() or ""
        for part in kept:
            del part.attrib["style"]
    if tag in ("metadata", "style") or (tag in ("g", "defs") and not kept):
        return []
    if name.startswith("line "):
        kept.insert(0, ET.Element("title"))
        kept[0].text = name.removeprefix("line ")
    elif tag == "g" and not attributes:
        return kept
    element[:], element.attrib, element.tail = kept, attributes, None
    element.text = element.text if tag in ("text", "title") else None
    return [element]


def _short(key: str, value: str) -> str:
    """The value of an attribute in hundredths of a point; the points of a long path in tenths."""
    if key == "d" and len(value) > 400 and not re.search(r"[^MLz\d. \n-]", value):
        return "".join(_steps(part) for part in value.split("M")[1:])
    value = re.sub(r"-?\d+\.\d{3,}", lambda found: f"{round(float(found.group()), 2):g}", value)
    if key == "d":
        return re.sub(r"\s*([A-Za-z])\s*", r"\1", re.sub(r"\s+", " ", value)).strip()
    if key == "style":
        parts = [part.strip() for part in value.split(";")]
        needless = ("font-family", "stroke-dashoffset: 0")
        return ";".join(part for part in parts if not part.startswith(needless)).replace(": ", ":")
    return value


def _steps(text: str) -> str:
    """A line as steps from point to point, which are shorter to write than the points."""
    numbers = np.array(re.findall(r"[-\d.]+", text), np.float64)
    points = np.rint(10 * numbers).astype(np.int64).reshape(-1, 2)
    steps = np.diff(points, axis=0)
    begin, way = (
        " ".join(f"{n / 10:g}" for n in part.ravel()) for part in (points[0], steps[steps.any(axis=1)])
    )
    path = f"M{begin}l{way}" if way else f"M{begin}"
    return re.sub(r"(?<!\d)0\.", ".", path.replace(" -", "-")) + ("z" if "z" in text else "")


def _set_indices(element: ET.Element, names: Sequence[str]) -> None:
    """CPA_PB as the paper writes it, wherever it is named."""
    words = re.split("(" + "|".join(map(re.escape, names)) + ")", element.text or "") if names else []
    if len(words) < 2:
        return
    pieces = [part for n, word in enumerate(words) for part in _with_index(word, n % 2 == 1)]
    element.text, sunk = None, 0
    for text, depth in pieces:
        if text:
            part = ET.SubElement(element, "tspan", {"font-size": "75%"} if depth else {})
            part.text = text
            if depth != sunk:
                part.set("dy", str(depth - sunk))
            sunk = depth


def _with_index(word: str, named: bool) -> list[tuple[str, int]]:
    """The parts of a name, and how deep they stand."""
    parts = re.split("_([A-Za-z0-9]+)", word) if named else [word]
    return [(part, 2 * (n % 2)) for n, part in enumerate(parts)]
