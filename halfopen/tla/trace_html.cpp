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
/* Nothing is told by colour alone: a change has a thick edge, values differ in lightness, the place where one stands is framed. */
:root { color-scheme: light dark; --ink: #16202c; --dim: #5b6675; --page: #f4f5f7; --card: #fff; --line: #d5dae2; --edge: #16202c; --hot: #a3160e; --pick: #0b57d0; --pick-ink: #fff; --soft: #eef1f5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ebf0; --dim: #9aa5b4; --page: #12161c; --card: #1a2029; --line: #333d4b; --edge: #f2f4f7; --hot: #ff9d92; --pick: #8ab8ff; --pick-ink: #10161e; --soft: #232b36; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 18px 22px; max-width: 1800px; font: 14px/1.45 system-ui, sans-serif; color: var(--ink); background: var(--page); }
header { display: flex; gap: 4px 18px; align-items: baseline; flex-wrap: wrap; margin-bottom: 12px; }
h1 { font-size: 19px; font-weight: 600; margin: 0; }
h1 b { color: var(--hot); text-decoration: underline; text-decoration-thickness: 2px; text-underline-offset: 4px; }
.sub { color: var(--dim); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px; margin-bottom: 12px; overflow-x: auto; }
#map { padding-left: 0; scrollbar-width: thin; }
.bands { display: grid; row-gap: 3px; min-width: 100%; position: relative; }
.name { padding: 3px 12px 3px 14px; white-space: nowrap; position: sticky; left: 0; background: var(--card); z-index: 2; font-family: ui-monospace, monospace; font-size: 13px; border-right: 1px solid var(--line); }
.key { padding-left: 30px; color: var(--dim); }
.expr { font-style: italic; }
.band { padding: 3px 7px; min-height: 26px; overflow: clip; text-overflow: ellipsis; white-space: nowrap; color: #0d1117; font: 12.5px/20px ui-monospace, monospace; border-left: 1px solid transparent; }
.band span { position: sticky; left: calc(var(--names) + 7px); }
.band.fresh { border-left: 4px solid var(--edge); font-weight: 600; }
.band.still { background: none !important; color: var(--dim); border: 1px dashed var(--line); }
.step { padding: 3px 6px 4px 7px; border: 0; border-left: 1px solid var(--line); background: none; color: var(--ink); font: inherit; font-size: 12.5px; line-height: 1.25; text-align: left; cursor: pointer; overflow: hidden; display: flex; flex-direction: column; }
.step i { font-style: normal; font-weight: 600; color: var(--dim); font-size: 11px; }
.step span { display: -webkit-box; -webkit-line-clamp: 3; -webkit-box-orient: vertical; overflow: hidden; overflow-wrap: anywhere; }
.step:hover { background: var(--soft); }
.step[aria-current=true] { background: var(--pick); color: var(--pick-ink); }
.step[aria-current=true] i { color: inherit; }
.step.wrong i::after { content: "  \2717"; color: var(--hot); }
.step.wrong[aria-current=true] i::after { color: inherit; }
.loop { border: 2px solid var(--ink); border-top: 0; border-radius: 0 0 8px 8px; font-size: 12px; padding: 0 8px 2px; margin: 0 2px 4px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.cursor { border: 3px solid var(--pick); border-radius: 3px; pointer-events: none; z-index: 1; margin: 0 -2px; }
nav { display: flex; gap: 8px; align-items: center; margin-bottom: 8px; flex-wrap: wrap; }
nav button { padding: 4px 12px; border: 1px solid var(--dim); border-radius: 6px; background: var(--card); color: var(--ink); cursor: pointer; font: inherit; }
nav button:hover { background: var(--soft); }
nav button[aria-pressed=true] { background: var(--ink); color: var(--card); }
button:focus-visible { outline: 3px solid var(--pick); outline-offset: 1px; }
#action { font-weight: 600; font-size: 15px; }
#place, #then { color: var(--dim); }
#then { margin-left: auto; }
table { border-collapse: collapse; width: 100%; font: 13px/1.45 ui-monospace, monospace; }
td { text-align: left; vertical-align: top; padding: 4px 10px; border-top: 1px solid var(--line); white-space: pre-wrap; overflow-wrap: anywhere; }
td:nth-child(1) { width: 1%; text-align: center; font-weight: 700; padding-right: 0; }
td:nth-child(2) { width: 1%; white-space: nowrap; }
tr.new td { background: var(--soft); }
tr.new td:nth-child(2) { font-weight: 700; }
del { color: var(--dim); }
ins { text-decoration: none; font-weight: 700; }
kbd { font: 12px ui-monospace, monospace; border: 1px solid var(--line); border-bottom-width: 2px; border-radius: 4px; padding: 0 5px; background: var(--card); }
footer { color: var(--dim); font-size: 12.5px; }
@media print { .card { break-inside: avoid; overflow: visible; } nav, footer { display: none; } }
</style>
</head>
<body>
<header><h1 id="title"></h1><div class="sub" id="sub"></div></header>
<div class="card" id="map"><div class="bands" id="bands"></div></div>
<div class="card">
<nav><button id="back" title="left arrow">&#8592; back</button><button id="forward" title="right arrow">forward &#8594;</button><button id="only" aria-pressed="false" title="c">only what changes</button><span id="action" aria-live="polite"></span><span id="place"></span><span id="then"></span></nav>
<table id="state"></table>
</div>
<footer><kbd>&#8592;</kbd> <kbd>&#8594;</kbd> step &nbsp; <kbd>Home</kbd> <kbd>End</kbd> first, last &nbsp; <kbd>n</kbd> <kbd>p</kbd> next, previous change of the picked variable &nbsp; <kbd>l</kbd> where the loop begins &nbsp; <kbd>c</kbd> only what changes &nbsp; a click picks a state, or a variable</footer>
<script id="trace" type="application/json">)html";

constexpr std::string_view tail = R"html(</script>
<script>
'use strict';
const trace = JSON.parse(document.getElementById('trace').textContent);
const states = trace.states, last = states.length - 1;
const loop = trace.back_to === null ? null : trace.back_to - 1;
let now = 0, only = false, picked = null;
const $ = id => document.getElementById(id);
function make(tag, text, ...classes) {
  const e = document.createElement(tag);
  e.textContent = text;
  if (classes.length) e.classList.add(...classes);
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
    const extra = first.expression ? ['expr'] : [];
    const split = states.map(s => parts(s.variables[i].itf));
    const keys = split[0] && split[0].map(p => p[0]);
    const even = keys && keys.length > 1 && keys.length <= 12 &&
      split.every(p => p && p.length === keys.length && p.every((x, k) => x[0] === keys[k]));
    if (!even) return all.push({of: i, name: first.name, classes: extra, values: states.map(s => s.variables[i].value)});
    all.push({of: i, name: first.name, classes: extra, values: null});
    keys.forEach((key, k) => all.push({of: i, name: key, classes: ['key'], values: split.map(p => p[k][1])}));
  });
  return all;
}
// Neighbours in these two rows differ in lightness as well as in hue.
const tints = ['hsl(214 60% 90%)', 'hsl(38 85% 74%)', 'hsl(160 45% 84%)', 'hsl(280 45% 78%)', 'hsl(60 60% 88%)', 'hsl(10 65% 78%)', 'hsl(190 45% 86%)', 'hsl(330 45% 76%)'];
function painter(lane) {
  const distinct = [...new Set(lane.values)];
  if (distinct.length === 1) return () => '';
  if (distinct.every(v => /^-?\d+$/.test(v))) {  // a number also has a height
    const low = Math.min(...distinct), high = Math.max(...distinct);
    return v => {
      const level = Math.round(12 + 76 * (v - low) / (high - low));
      return `linear-gradient(to top, hsl(214 55% 74%) ${level}%, hsl(214 60% 93%) ${level}%)`;
    };
  }
  return v => tints[distinct.indexOf(v) % tints.length];
}
function changes(i) { return states.some((s, k) => k > 0 && s.variables[i].changed); }
function put(e, row, column, span = 1) {
  e.style.gridRow = row;
  e.style.gridColumn = `${column} / span ${span}`;
  $('bands').append(e);
}
function header() {
  put(make('div', '', 'name'), 1, 1);
  states.forEach((s, i) => {
    const b = make('button', '', 'step');
    b.append(make('i', s.number), make('span', i ? s.action.replace(/([a-z0-9])(?=[A-Z(])/g, '$1\u200B') : 'initial state'));
    if (loop === null && i === last && trace.property) b.classList.add('wrong');
    b.title = s.action + (s.place ? ' at ' + s.place : '');
    b.onclick = () => select(i);
    put(b, 1, i + 2);
  });
  if (loop === null) return;
  put(make('div', '', 'name'), 2, 1);
  const how = loop === last ? '\u21BB stays here for ever' : `\u21BB for ever: ${trace.back_by || 'a step'} leads from ${last + 1} back to ${loop + 1}`;
  const bar = make('div', how, 'loop');
  bar.title = how;
  put(bar, 2, loop + 2, last - loop + 1);
}
function draw() {
  const grid = $('bands');
  grid.replaceChildren();
  grid.style.gridTemplateColumns = `max-content repeat(${states.length}, minmax(${states.length > 12 ? 88 : 76}px, 1fr))`;
  header();
  const shown = lanes().filter(l => !only || changes(l.of));
  shown.forEach((lane, r) => {
    const row = r + 3;
    const name = make('div', lane.name, 'name', ...lane.classes);
    name.onclick = () => pick(lane.of);
    if (states[0].variables[lane.of].expression) name.title = states[0].variables[lane.of].expression;
    put(name, row, 1);
    if (!lane.values) return;
    const paint = painter(lane);
    for (let i = 0; i < lane.values.length;) {
      let n = i + 1;
      while (n < lane.values.length && lane.values[n] === lane.values[i]) ++n;
      const band = make('div', '', 'band');
      band.append(make('span', lane.values[i]));
      const background = paint(lane.values[i]);
      if (i > 0) band.classList.add('fresh');
      if (background) band.style.background = background; else band.classList.add('still');
      band.title = `${lane.name} = ${lane.values[i]}`;
      put(band, row, i + 2, n - i);
      i = n;
    }
  });
  const cursor = make('div', '', 'cursor');
  cursor.id = 'cursor';
  grid.append(cursor);
  cursor.style.gridRow = `1 / span ${shown.length + 2}`;
  grid.style.setProperty('--names', `${document.querySelector('.name').offsetWidth}px`);
}
// What became of a value: only the parts that changed, where it has parts.
function difference(before, after) {
  const a = parts(before.itf), b = parts(after.itf);
  const cell = make('td', '');
  const line = (what, from, to) => {
    const l = make('div', what);
    l.append(make('del', from), ' \u2192 ', make('ins', to));
    cell.append(l);
  };
  if (a && b && a.length === b.length && a.every((x, k) => x[0] === b[k][0]) && a.length > 1) {
    cell.append(make('div', after.value));
    a.forEach((x, k) => { if (x[1] !== b[k][1]) line(`[${x[0]}]  `, x[1], b[k][1]); });
    return cell;
  }
  if (before.itf && before.itf['#set'] && after.itf && after.itf['#set']) {
    const x = before.itf['#set'].map(show), y = after.itf['#set'].map(show);
    cell.append(make('div', after.value));
    const gone = x.filter(e => !y.includes(e)), come = y.filter(e => !x.includes(e));
    if (come.length) cell.append(make('div', 'with ' + come.join(', ')));
    if (gone.length) cell.append(make('div', 'without ' + gone.join(', ')));
    return cell;
  }
  line('', before.value, after.value);
  return cell;
}
function row(v, k, i) {
  const fresh = v.changed && i > 0;
  const r = make('tr', '');
  if (fresh) r.classList.add('new');
  const name = make('td', v.name, ...(v.expression ? ['expr'] : []));
  if (v.expression) name.title = v.expression;
  r.append(make('td', (fresh ? '\u25CF' : '') + (picked === k ? '\u25B8' : '')), name, fresh ? difference(states[i - 1].variables[k], v) : make('td', v.value));
  r.onclick = () => pick(k);
  return r;
}
function select(i) {
  now = i;
  const s = states[i];
  document.querySelectorAll('.step').forEach((b, k) => b.setAttribute('aria-current', k === i));
  $('cursor').style.gridColumn = i + 2;
  $('action').textContent = `State ${s.number} of ${states.length}: ${s.action}`;
  $('place').textContent = s.place.replace(/^.*\//, '');
  $('place').title = s.place;
  $('then').textContent = i < last ? `then ${states[i + 1].action} \u2192` :
    loop === null ? (trace.property ? `\u2717 breaks ${trace.property}` : 'the end') :
    loop === last ? '\u21BB stutters for ever from here' : `\u21BB ${trace.back_by} goes back to state ${loop + 1}`;
  $('state').replaceChildren(...s.variables.map((v, k) => row(v, k, i)).filter((r, k) => !only || changes(k)));
  const b = document.querySelectorAll('.step')[i], map = $('map'), left = document.querySelector('.name').offsetWidth;
  if (b.offsetLeft - left < map.scrollLeft) map.scrollLeft = b.offsetLeft - left - 8;
  else if (b.offsetLeft + b.offsetWidth > map.scrollLeft + map.clientWidth) map.scrollLeft = b.offsetLeft + b.offsetWidth - map.clientWidth + 40;
  history.replaceState(null, '', '#' + (i + 1));
}
function pick(k) { picked = picked === k ? null : k; select(now); }
function jump(by) {
  const of = v => picked === null ? v.some(x => x.changed) : v[picked].changed;
  for (let i = now + by; i >= 0 && i <= last; i += by) if (i === 0 || of(states[i].variables)) return select(i);
}
const forward = () => select(now < last ? now + 1 : loop === null ? last : loop);
const back = () => select(Math.max(0, now - 1));
const toggle = () => { only = !only; $('only').setAttribute('aria-pressed', only); draw(); select(now); };
$('forward').onclick = forward;
$('back').onclick = back;
$('only').onclick = toggle;
const keys = {ArrowRight: forward, ' ': forward, j: forward, ArrowLeft: back, k: back, Home: () => select(0), End: () => select(last),
  n: () => jump(1), p: () => jump(-1), l: () => loop !== null && select(loop), c: toggle};
document.addEventListener('keydown', e => {
  if (e.ctrlKey || e.metaKey || e.altKey || !keys[e.key] || (e.key === ' ' && e.target.tagName === 'BUTTON')) return;
  keys[e.key]();
  e.preventDefault();
});
if (trace.property) $('title').append(trace.spec + ' breaks ', make('b', trace.property));
else $('title').append(trace.spec + ': the way to what is wrong');
$('sub').textContent = `${states.length} state${states.length === 1 ? '' : 's'}` +
  (loop === null ? '' : loop === last ? ', then nothing changes any more' : `, then from state ${last + 1} back to state ${loop + 1} for ever`);
document.title = `${trace.spec}: ${trace.property || 'counterexample'}`;
if (states.length) { draw(); select(Math.min(last, Math.max(0, Number(location.hash.slice(1)) - 1))); }
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
