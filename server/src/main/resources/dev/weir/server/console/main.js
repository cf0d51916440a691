import { Budgets } from './budgets.js';
import { Flame } from './flame.js';
import { bytes, count, seconds } from './format.js';
import { History } from './history.js';
import { PageMap } from './pagemap.js';
import { oldestFigures, Places, suspectFigures } from './places.js';
import { showChannels, showClasses, showHeaps, showWaste } from './tables.js';

/** So long without a view means that the node is away. */
const LOST_MILLIS = 4000;

const find = id => document.getElementById(id);
const history = new History(find('history'), find('history-note'));
const flame = new Flame(find('flame'), find('flame-note'),
  { old: find('flame-old'), all: find('flame-all') });
const budgets = new Budgets(find('icicle'), find('budget-name'), find('budget-facts'), chooseBudget);
const suspects = new Places(find('suspects'), suspectFigures);
const oldest = new Places(find('oldest'), oldestFigures);
const map = new PageMap(find('regions'));
let lastViewMillis = performance.now();
let paused = false;

function show(view) {
  const pool = view.pool;
  find('pool').textContent = pool.name;
  showGauge(pool);
  showWaste(find('waste'), pool, view.profile);
  map.show(pool.pages);
  budgets.show(pool);
  showCode(view.profile);
  showChannels(find('channels'), find('channels-note'), view.channels);
  showClasses(find('classes'), pool.classes);
  showHeaps(find('heaps'), pool.heaps);
  find('node').textContent = `${count(view.node.openConnections)} connections, `
    + `${count(view.node.streams)} streams; ${bytes(pool.reservedBytes)} of addresses, `
    + `${bytes(pool.purgedBytes)} given back to the system so far`;
}

/** The budget whose code is shown, and where to download that. */
function chooseBudget(path) {
  find('flame-budget').textContent = path || 'all budgets';
  const query = path ? `?${new URLSearchParams({ budget: path })}` : '';
  for (const [id, file] of [['pprof', 'profile.pb.gz'], ['collapsed', 'profile.collapsed']]) {
    find(id).setAttribute('href', file + query);
  }
  flame.choose(path);
}

function showCode(profile) {
  for (const section of document.querySelectorAll('.needs-profile')) {
    section.hidden = !profile;
  }
  if (!profile) {
    return;
  }
  const age = seconds(profile.leakAgeMillis);
  find('suspects-section').classList.toggle('alarm', profile.suspects.length > 0);
  setText('suspects-note', profile.suspects.length === 0
    ? `None: no place in the code holds more and more memory that is older than ${age}.`
    : `Places in the code that hold more and more memory older than ${age}. Open one for its stack.`);
  suspects.show(profile.suspects);
  setText('oldest-note', `Estimated from ${count(profile.samples)} live samples, one in `
    + `${bytes(profile.bytesPerSample)} allocated`
    + (profile.lostSamples > 0 ? `; ${count(profile.lostSamples)} could not be kept.` : '.'));
  oldest.show(profile.oldest);
  find('flame-old').value = Math.ceil(profile.leakAgeMillis / 1000);
  setText('flame-age', age);
  if (!document.hidden) {
    flame.refresh();
  }
}

function setText(id, text) {
  if (find(id).textContent !== text) {
    find(id).textContent = text;
  }
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
events.addEventListener('history', event => history.begin(JSON.parse(event.data)));
events.addEventListener('view', event => {
  lastViewMillis = performance.now();
  const view = JSON.parse(event.data);
  history.add(view);
  if (!paused) {
    setStatus('live', false);
    show(view);
  }
});

setInterval(() => {
  if (events.readyState === EventSource.CLOSED) {
    setStatus('the node has refused; reload the page', true);
  } else if (performance.now() - lastViewMillis > LOST_MILLIS) {
    setStatus('no word from the node; trying again', true);
  }
}, 1000);

find('pause').addEventListener('click', () => {
  paused = !paused;
  find('pause').setAttribute('aria-pressed', paused);
  find('pause').textContent = paused ? 'Go on' : 'Pause';
  setStatus(paused ? 'paused' : 'live', false);
  history.pause(paused);
});

window.addEventListener('resize', () => map.draw());
window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => map.draw());
