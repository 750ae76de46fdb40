// The page goes on by itself: parts come as HTML from the server, charts are drawn from numbers.
const charts = document.getElementById("charts");
const state = document.getElementById("state");
const periods = new Map(); // rows of the charts by their start, in seconds
let frame = { step: 86400, first: 0 };
let plots = [];
let waiting = {}; // parts that somebody is selecting text in
let source = null;

// Numbers and times, always in UTC.
const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const fine = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumSignificantDigits: 3 });
const day = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short" });
const year = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", day: "numeric", month: "short", year: "numeric" });
const clock = new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", hour: "2-digit", minute: "2-digit" });
const money = (v) => (v == null ? "–" : Math.abs(v) >= 1e6 ? short.format(v) : Math.abs(v) >= 100 ? plain.format(v) : fine.format(v));
const share = (v) => (v == null ? "–" : `${plain.format(100 * v)} %`);
const tick = (t) => (frame.step < 86400 && t % 86400 ? clock.format(t * 1000) : day.format(t * 1000));
const moment = (t) => (frame.step < 86400 ? `${day.format(t * 1000)}, ${clock.format(t * 1000)}` : year.format(t * 1000));
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function take(chart) {
  if (chart.step !== frame.step) periods.clear(); // days instead of hours
  frame = chart;
  for (const [n, ...numbers] of chart.rows) periods.set(n * chart.step, numbers);
  for (const start of periods.keys()) if (start < chart.first * chart.step) periods.delete(start);
}

// Starts, then the three total costs so far, flags, and the share without a label.
function columns() {
  const starts = [...periods.keys()].sort((a, b) => a - b);
  const sums = [[0], [0], [0]];
  for (const start of starts) sums.forEach((sum, n) => sum.push(sum.at(-1) + periods.get(start)[n]));
  return {
    cost: [[starts[0] - frame.step, ...starts], ...sums],
    flags: [starts, starts.map((s) => periods.get(s)[3])],
    unlabelled: [starts, starts.map((s) => periods.get(s)[4])],
  };
}

// The dearer of the two policies may leave the chart, so that the rest can be seen.
function highest([, cost, nothing, all]) {
  const [own, less, more] = [Math.max(...cost), ...[nothing.at(-1), all.at(-1)].sort((a, b) => a - b)];
  const shown = Math.max(own, less);
  return 1.06 * (more <= 2 * shown ? Math.max(more, own) : shown) || 1;
}

function axis(values, more) {
  const line = { stroke: colour("--rule"), width: 1 };
  return { stroke: colour("--soft"), font: "12px system-ui, sans-serif", grid: line, ticks: { show: false }, values, ...more };
}

function plot(id, data, height, series, top, format) {
  const place = document.getElementById(id);
  const hour = 3600, incrs = [1, 3, 6, 12, 24, 48, 168, 336, 720, 1440, 4320, 8760].map((n) => n * hour);
  const show = (u) => u.cursor.idx == null && u.data[0].length && u.setLegend({ idx: u.data[0].length - 1 }, false);
  const made = new uPlot({
    width: place.clientWidth, height,
    tzDate: (t) => uPlot.tzDate(new Date(t * 1000), "Etc/UTC"),
    cursor: { sync: { key: "periods" }, drag: { x: false, y: false }, y: false, points: { size: 7 } },
    legend: { markers: { width: 0 } },
    scales: {
      x: { range: (u) => [u.data[0][0] - frame.step * (id === "cost-chart" ? 0 : 1), u.data[0].at(-1) + 0.6 * frame.step] },
      y: { range: (u) => [Math.min(0, ...u.data[1]), top(u.data)] },
    },
    axes: [
      axis((u, splits) => splits.map(tick), { grid: { show: false }, space: 64, incrs: incrs.filter((n) => n >= frame.step), size: 26 }),
      axis((u, splits) => splits.map(format), { size: 58, space: 36 }),
    ],
    series: [{ label: "", value: (u, v) => (v == null ? "" : moment(v)) }, ...series],
    hooks: { setCursor: [show], ready: [show] },
  }, data, place);
  return made;
}

function draw() {
  plots.forEach((one) => one.plot.destroy());
  plots = [];
  charts.hidden = periods.size === 0;
  document.getElementById("start").hidden = periods.size > 0;
  if (!periods.size) return;
  const data = columns();
  const value = (u, v) => money(v);
  const line = (label, name, more) => ({ label, stroke: colour(name), width: 1.5, points: { show: false }, value, ...more });
  const bars = (label, name, format) => ({
    label, stroke: colour(name), fill: colour(name), width: 0, points: { show: false },
    value: (u, v) => format(v), paths: uPlot.paths.bars({ size: [0.72, 40] }),
  });
  const lines = [
    line("total cost", "--c1", { width: 3 }),
    line("flag nothing", "--soft", { dash: [6, 5] }),
    line("flag everything", "--faint", { dash: [2, 4] }),
  ];
  const most = (d) => 1.08 * Math.max(...d[1]) || 1;
  plots = [
    { name: "cost", plot: plot("cost-chart", data.cost, 300, lines, highest, money) },
    { name: "flags", plot: plot("flags-chart", data.flags, 128, [bars("flags", "--c2", money)], most, money) },
    { name: "unlabelled", plot: plot("unlabelled-chart", data.unlabelled, 128, [bars("without", "--grey", share)], () => 1, share) },
  ];
}

function redraw() {
  if (!plots.length) return draw();
  const data = columns();
  for (const { name, plot } of plots) plot.setData(data[name]);
  for (const { plot } of plots) if (plot.cursor.idx == null) plot.setLegend({ idx: plot.data[0].length - 1 }, false);
}

// A part stays as it is while somebody selects text in it or walks through it with the keyboard.
function busy(part) {
  const selected = getSelection();
  return (!selected.isCollapsed && part.contains(selected.anchorNode)) || part.querySelector(":focus-visible") !== null;
}

function fill(parts) {
  waiting = { ...waiting, ...parts };
  for (const [id, html] of Object.entries(waiting)) {
    const part = document.getElementById(id);
    if (busy(part)) continue;
    part.innerHTML = html; // made and escaped by the server
    delete waiting[id];
  }
}

function show(kind, text) {
  state.className = `eyebrow ${kind}`;
  state.textContent = text;
}

async function lost() {
  if (source.readyState !== EventSource.CLOSED) return show("lost", "connection lost, trying again");
  const answer = await fetch("v1/summary").catch(() => null);
  if (answer && [401, 403].includes(answer.status)) return location.reload(); // it asks to sign in
  show("lost", "connection lost, trying again");
  setTimeout(listen, 5000);
}

function listen() {
  if (source) source.close();
  if (document.hidden) return; // a browser has few connections, and nobody looks
  const query = new URLSearchParams({ by: charts.dataset.by, last: charts.dataset.last });
  source = new EventSource(`updates?${query}`);
  source.onopen = () => show("live", "live");
  source.onerror = lost;
  source.addEventListener("page", (event) => {
    const { parts, chart } = JSON.parse(event.data);
    charts.dataset.last = event.lastEventId;
    const same = chart.step === frame.step;
    take(chart);
    fill(parts);
    if (same) redraw();
    else draw();
  });
}

take(JSON.parse(charts.dataset.chart));
draw();
listen();
setInterval(() => fill({}), 1000);
document.addEventListener("visibilitychange", listen);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
new ResizeObserver(() => {
  for (const { plot } of plots) plot.setSize({ width: plot.root.parentElement.clientWidth, height: plot.height });
}).observe(charts);
