#include <halfopen/tla/trace.hpp>

namespace halfopen::tla {
namespace {

constexpr std::string_view head = R"html(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Counterexample</title>
<style>
:root { color-scheme: light dark; --ink: #1c2430; --dim: #6b7686; --page: #f6f7f9; --card: #fff; --line: #d9dee6; --hot: #b3261e; --pick: #1f6feb; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --dim: #98a2b3; --page: #14181f; --card: #1c222b; --line: #313a47; --hot: #ff8a80; --pick: #79b8ff; }
}
* { box-sizing: border-box; }
body { margin: 0; padding: 20px; font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--page); }
h1 { font-size: 18px; margin: 0 0 2px; }
h1 b { color: var(--hot); }
.sub { color: var(--dim); margin-bottom: 14px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin-bottom: 14px; overflow-x: auto; }
.bands { display: grid; gap: 2px; align-items: stretch; min-width: max-content; }
.card:has(.bands) { padding-left: 0; }
.name { padding: 3px 10px 3px 12px; white-space: nowrap; position: sticky; left: 0; background: var(--card); z-index: 1; }
.key { padding-left: 26px; color: var(--dim); }
.band { padding: 3px 7px; border-radius: 4px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: #111; font: 12px ui-monospace, monospace; }
.step { padding: 3px 6px; border: 0; border-radius: 4px; background: none; color: var(--dim); font: inherit; text-align: left; cursor: pointer; max-width: 190px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.step:hover { color: var(--ink); }
.step[aria-current=true] { background: var(--pick); color: #fff; }
.inloop { border-bottom: 3px solid var(--hot); border-radius: 4px 4px 0 0; }
.cursor { outline: 2px solid var(--pick); outline-offset: -1px; border-radius: 4px; pointer-events: none; }
table { border-collapse: collapse; width: 100%; }
td:first-child { width: 1%; white-space: nowrap; }
td, th { text-align: left; vertical-align: top; padding: 5px 10px; border-top: 1px solid var(--line); }
td.v { font: 13px/1.4 ui-monospace, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
tr.new td { background: color-mix(in srgb, var(--pick) 12%, transparent); }
tr.new td:first-child { font-weight: 600; }
.old { color: var(--dim); }
nav { display: flex; gap: 8px; align-items: center; margin-bottom: 10px; flex-wrap: wrap; }
nav button { padding: 4px 12px; border: 1px solid var(--line); border-radius: 6px; background: var(--card); color: var(--ink); cursor: pointer; font: inherit; }
#action { font-weight: 600; }
#place { color: var(--dim); }
</style>
</head>
<body>
<h1 id="title"></h1>
<div class="sub" id="sub"></div>
<div class="card"><div class="bands" id="bands"></div></div>
<div class="card">
<nav><button id="back">&#8592; back</button><button id="forward">forward &#8594;</button><span id="action"></span><span id="place"></span></nav>
<table id="state"></table>
</div>
<script id="trace" type="application/json">)html";

constexpr std::string_view tail = R"html(</script>
<script>
'use strict';
const trace = JSON.parse(document.getElementById('trace').textContent);
const states = trace.states, last = states.length - 1;
const loop = trace.back_to === null ? null : trace.back_to - 1;
let now = 0;
const $ = id => document.getElementById(id);
function make(tag, text, ...classes) {
  const e = document.createElement(tag);
  e.textContent = text;
  e.classList.add(...classes);
  return e;
}
// A value in the ITF encoding, as TLA+ writes it.
function show(v) {
  if (typeof v === 'string') return JSON.stringify(v);
  if (typeof v === 'boolean') return v ? 'TRUE' : 'FALSE';
  if (typeof v !== 'object' || v === null) return String(v);
  if (v['#bigint'] !== undefined) return v['#bigint'];
  if (v['#unserializable'] !== undefined) return v['#unserializable'];
  if (v['#set']) return '{' + v['#set'].map(show).join(', ') + '}';
  if (v['#tup']) return '<<' + v['#tup'].map(show).join(', ') + '>>';
  if (Array.isArray(v)) return '<<' + v.map(show).join(', ') + '>>';
  if (v['#map']) return '(' + v['#map'].map(([k, x]) => show(k) + ' :> ' + show(x)).join(' @@ ') + ')';
  return '[' + Object.entries(v).map(([k, x]) => k + ' |-> ' + show(x)).join(', ') + ']';
}
// The parts of a function-like value: a lane each.
function parts(v) {
  if (typeof v !== 'object' || v === null) return null;
  if (v['#map']) return v['#map'].map(([k, x]) => [show(k), show(x)]);
  if (v['#tup']) return v['#tup'].map((x, i) => [String(i + 1), show(x)]);
  if (Array.isArray(v)) return v.map((x, i) => [String(i + 1), show(x)]);
  if (Object.keys(v).some(k => k.startsWith('#'))) return null;
  return Object.entries(v).map(([k, x]) => [k, show(x)]);
}
function lanes() {
  const all = [];
  states[0].variables.forEach((first, i) => {
    const split = states.map(s => parts(s.variables[i].itf));
    const keys = split[0] && split[0].map(p => p[0]);
    const even = keys && keys.length > 1 && keys.length <= 12 &&
      split.every(p => p && p.length === keys.length && p.every((x, k) => x[0] === keys[k]));
    if (!even) return all.push({name: first.name, values: states.map(s => s.variables[i].value)});
    all.push({name: first.name, values: null});
    keys.forEach((key, k) => all.push({name: key, part: true, values: split.map(p => p[k][1])}));
  });
  return all;
}
const hues = new Map();
function colour(lane, value) {
  if (!hues.has(value)) {
    let h = 7;
    for (const c of value) h = (h * 31 + c.codePointAt(0)) >>> 0;
    hues.set(value, h % 360);
  }
  return `hsl(${hues.get(value)} 62% 80%)`;
}
function draw() {
  const grid = $('bands');
  grid.style.gridTemplateColumns = `max-content repeat(${states.length}, minmax(72px, max-content))`;
  const put = (e, row, column, span = 1) => {
    e.style.gridRow = row;
    e.style.gridColumn = `${column} / span ${span}`;
    grid.append(e);
  };
  put(make('div', '', 'name'), 1, 1);
  states.forEach((s, i) => {
    const b = make('button', `${s.number} ${s.action}`, 'step');
    if (loop !== null && i >= loop) b.classList.add('inloop');
    b.title = s.action + (s.place ? ' at ' + s.place : '');
    b.onclick = () => select(i);
    put(b, 1, i + 2);
  });
  const all = lanes();
  all.forEach((lane, r) => {
    const name = make('div', lane.name, 'name');
    if (lane.part) name.classList.add('key');
    put(name, r + 2, 1);
    if (!lane.values) return;
    for (let i = 0; i < lane.values.length;) {
      let n = i + 1;
      while (n < lane.values.length && lane.values[n] === lane.values[i]) ++n;
      const band = make('div', lane.values[i], 'band');
      band.style.background = colour(lane, lane.values[i]);
      band.title = `${lane.name} = ${lane.values[i]}`;
      band.style.maxWidth = `${190 * (n - i)}px`;
      put(band, r + 2, i + 2, n - i);
      i = n;
    }
  });
  const cursor = make('div', '', 'cursor');
  cursor.id = 'cursor';
  cursor.style.gridRow = `1 / span ${all.length + 1}`;
  grid.append(cursor);
}
function select(i) {
  now = i;
  const s = states[i];
  document.querySelectorAll('.step').forEach((b, k) => b.setAttribute('aria-current', k === i));
  $('cursor').style.gridColumn = i + 2;
  $('action').textContent = `State ${s.number} of ${states.length}: ${s.action}`;
  const on = loop === null || i < last ? '' : loop === last ? 'stutters for ever from here' : `goes back to state ${loop + 1}`;
  $('place').textContent = [s.place, on].filter(x => x).join(' · ');
  const table = $('state');
  table.replaceChildren();
  s.variables.forEach((v, k) => {
    const row = make('tr', '');
    const value = make('td', v.value, 'v');
    if (v.changed && i > 0) {
      row.classList.add('new');
      value.append(make('div', 'was ' + states[i - 1].variables[k].value, 'old'));
    }
    row.append(make('td', v.name), value);
    table.append(row);
  });
  document.querySelectorAll('.step')[i].scrollIntoView({block: 'nearest', inline: 'nearest'});
}
const forward = () => select(now < last ? now + 1 : loop === null ? last : loop);
const back = () => select(Math.max(0, now - 1));
$('forward').onclick = forward;
$('back').onclick = back;
document.addEventListener('keydown', e => {
  if (e.key === 'ArrowRight' || e.key === ' ') forward();
  else if (e.key === 'ArrowLeft') back();
  else if (e.key === 'Home') select(0);
  else if (e.key === 'End') select(last);
  else return;
  e.preventDefault();
});
$('title').append(trace.spec + ' breaks ', make('b', trace.property));
$('sub').textContent = `${states.length} state${states.length === 1 ? '' : 's'}` +
  (loop === null ? '' : loop === last ? ', then nothing changes any more' : `, then from state ${last + 1} back to state ${loop + 1} for ever`) +
  ' · arrow keys step, a click picks a state';
document.title = `${trace.spec}: ${trace.property}`;
if (states.length) { draw(); select(Math.min(states.length - 1, Math.max(0, Number(location.hash.slice(1)) - 1))); }
</script>
</body>
</html>
)html";

/// A page must not find its closing tag inside of the data.
std::string without_tags(std::string const& json) {
  std::string out;
  for (char const c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string to_html(trace const& t) {
  return std::string{head} + without_tags(to_json(t)) + std::string{tail};
}

}  // namespace halfopen::tla
