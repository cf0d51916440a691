import { Budgets } from './budgets.js';
import { bytes, count } from './format.js';
import { History } from './history.js';
import { PageMap } from './pagemap.js';
import { showClasses, showHeaps, showWaste } from './tables.js';

/** So long without a view means that the node is away. */
const LOST_MILLIS = 4000;

const find = id => document.getElementById(id);
const history = new History(find('history'), find('history-note'));
const budgets = new Budgets(find('icicle'), find('budget-note'));
const map = new PageMap(find('regions'));
let lastViewMillis = Date.now();
let paused = false;

function show(view) {
  const pool = view.pool;
  find('pool').textContent = pool.name;
  showGauge(pool);
  history.add(pool);
  showWaste(find('waste'), pool);
  map.show(pool.pages);
  budgets.show(pool.budgets);
  showClasses(find('classes'), pool.classes);
  showHeaps(find('heaps'), pool.heaps);
  find('node').textContent = `${count(view.node.openConnections)} connections, `
    + `${count(view.node.streams)} streams; ${bytes(pool.reservedBytes)} of addresses, `
    + `${bytes(pool.purgedBytes)} given back to the system so far`;
}

function showGauge(pool) {
  const idle = Math.max(0, pool.liveBytes - pool.blockBytes);
  const sizes = { blocks: pool.liveBytes - idle, idle, dirty: pool.dirtyBytes };
  for (const [name, size] of Object.entries(sizes)) {
    find('gauge').querySelector(`.${name}`).style.width = `${100 * size / Math.max(1, pool.limitBytes)}%`;
    find(name).textContent = bytes(size);
  }
  find('resident').textContent = bytes(pool.residentBytes);
  find('limit').textContent = bytes(pool.limitBytes);
  find('gauge').setAttribute('aria-label',
    `${bytes(pool.residentBytes)} resident of ${bytes(pool.limitBytes)}: blocks ${bytes(sizes.blocks)}, `
    + `live pages without a block ${bytes(idle)}, dirty ${bytes(pool.dirtyBytes)}; `
    + `peak ${bytes(pool.peakResidentBytes)}`);
}

function setStatus(text, lost) {
  const status = find('status');
  if (status.textContent !== text) {
    status.textContent = text;
  }
  status.classList.toggle('lost', lost);
}

const events = new EventSource('events');
events.addEventListener('history', event => {
  if (!paused) {
    history.begin(JSON.parse(event.data));
  }
});
events.addEventListener('view', event => {
  lastViewMillis = Date.now();
  if (!paused) {
    setStatus('live', false);
    show(JSON.parse(event.data));
  }
});

setInterval(() => {
  if (events.readyState === EventSource.CLOSED) {
    setStatus('the node has refused; reload the page', true);
  } else if (Date.now() - lastViewMillis > LOST_MILLIS) {
    setStatus('no word from the node; trying again', true);
  }
}, 1000);

find('pause').addEventListener('click', () => {
  paused = !paused;
  find('pause').setAttribute('aria-pressed', paused);
  find('pause').textContent = paused ? 'Go on' : 'Pause';
  setStatus(paused ? 'paused' : 'live', false);
});

function redraw() {
  history.draw();
  map.draw();
}
window.addEventListener('resize', redraw);
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
