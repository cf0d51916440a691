import { bytes, count, element, percent } from './format.js';

const KINDS = [
  ['freeSlotBytes', 'free slots in slabs', true],
  ['uncommittedBytes', 'pages without a slot yet', true],
  ['quarantinedBytes', 'quarantined, of hardened blocks', true],
  ['hardeningBytes', 'beside hardened blocks', true],
  ['dirtyBytes', 'dirty pages', true],
  ['roundingAtMostBytes', 'rounding inside blocks, at most', true],
  ['promisedBytes', 'promised to grants', false],
  ['growthAddressBytes', 'addresses to grow into', false],
];

export function showWaste(table, pool, profile) {
  fill(table, KINDS.map(([name, text, isMemory]) => {
    const [said, size] = name === 'roundingAtMostBytes' ? rounding(pool, profile) : [text, pool.waste[name]];
    return [
      header(said),
      number(bytes(size)),
      isMemory ? share(size, pool.residentBytes, said) : element('td', { textContent: 'no memory' }),
    ];
  }));
}

/** By the samples, if there are some; else what it may be at most. */
function rounding(pool, profile) {
  const most = pool.waste.roundingAtMostBytes;
  return profile?.samples > 0
    ? ['rounding inside blocks, about', Math.min(profile.roundingBytes, most)]
    : ['rounding inside blocks, at most', most];
}

export function showClasses(table, classes) {
  fill(table, classes.map(row => [
    number(bytes(row.slotBytes), true), ...slabs(row, `slots of ${bytes(row.slotBytes)} in use`, number(classRounding(row)))]));
}

/** By the samples, if one is live; else what it may be at most. */
function classRounding(row) {
  return row.estimate ? `~ ${bytes(row.estimate.roundingBytes)}` : `≤ ${bytes(row.roundingAtMostBytes)}`;
}

export function showHeaps(table, heaps) {
  fill(table, heaps.map(row => [header(row.owner), ...slabs(row, `${row.owner}: in use`)]));
}

export function showChannels(table, note, channels) {
  const { top, bytes: all, count: open, others, otherBytes } = channels;
  const rows = top.map(row => [
    header(row.name), number(bytes(row.bytes)), number(bytes(row.peakBytes)),
    share(row.bytes, all, `${row.name}: part of what all hold`)]);
  if (top.length > 0 && others > 0) {
    rows.push([
      header(`and ${count(others)} more`), number(bytes(otherBytes)), number(''),
      share(otherBytes, all, 'all others: part of what all hold')]);
  }
  fill(table, rows);
  table.hidden = top.length === 0;
  note.textContent = `${count(open)} connections hold ${bytes(all)}`
    + (top.length === 0 ? '.' : '; those that hold most:');
}

function slabs(row, label, ...further) {
  return [
    number(count(row.slabs)),
    number(count(row.blocks)),
    number(bytes(row.pageBytes)),
    number(bytes(row.freeSlotBytes)),
    number(bytes(row.uncommittedBytes)),
    ...further,
    share(row.blockBytes, row.pageBytes, label),
  ];
}

function header(text) {
  return element('th', { scope: 'row', textContent: text });
}

function number(text, isHeader = false) {
  return element(isHeader ? 'th' : 'td', { className: 'number', textContent: text });
}

function share(part, whole, label) {
  const meter = element('meter', { min: 0, max: Math.max(1, whole), value: part, textContent: percent(part, whole) });
  meter.setAttribute('aria-label', label);
  meter.title = percent(part, whole);
  return element('td', { className: 'bar' }, meter);
}

function fill(table, rows) {
  table.tBodies[0].replaceChildren(...rows.map(cells => element('tr', {}, ...cells)));
}
