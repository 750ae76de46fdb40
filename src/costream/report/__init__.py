"""How the command line and the lab show results.

``numbers`` and ``tables`` write numbers and tables as text, HTML and Markdown; ``page`` makes a
self-contained page of them, in the style of ``style.css``. ``comparison`` is the page of ``compare``,
with the chart of ``chart`` and ``leaders``. ``figures`` draws panels of lines for print,
as ``panel`` has them and in the styles of ``line_styles``. Both kinds of drawing share ``drawing``.
"""
