import { bytes, percent } from './format.js';
import { Icicle } from './icicle.js';
import { shortFrame } from './places.js';

const REFRESH_MILLIS = 2000;

/** An answer that does not come is asked for again after so long. */
const PATIENCE_MILLIS = 10_000;

const LIBRARY = /^(io\.netty|java|javax|jdk|sun)\./;
const LEVELS = 48;

/**
 * The live profile of a budget as an icicle of calls: the outermost on top, the code that allocated
 * at the bottom, as wide as what is live of it.
 */
export class Flame {
  constructor(holder, note, options) {
    this.note = note;
    this.options = options;
    this.budget = '';
    this.busy = false;
    this.fetchedMillis = -Infinity;
    this.icicle = new Icicle(holder, { kind, text, title: node => this.describe(node), levels: LEVELS },
      { zoomed: node => this.tell(node), pointed: node => this.tell(node) });
    for (const option of Object.values(options)) {
      option.addEventListener('change', () => this.refresh(true));
    }
  }

  /** Shows what is charged to a budget and those below it. */
  choose(path) {
    if (path !== this.budget) {
      this.budget = path;
      this.icicle.zoom = [];
      this.refresh(true);
    }
  }

  get query() {
    const query = new URLSearchParams();
    if (this.budget) {
      query.set('budget', this.budget);
    }
    if (this.options.old.checked) {
      query.set('older', this.options.old.value);
    }
    return query;
  }

  /** Asks for a new profile, if the last one is a while ago. */
  async refresh(now = false) {
    if (this.busy) {
      this.again ||= now;
      return;
    }
    if (!now && performance.now() - this.fetchedMillis < REFRESH_MILLIS) {
      return;
    }
    this.busy = true;
    this.again = false;
    this.fetchedMillis = performance.now();
    try {
      const answer = await fetch(`flame?${this.query}`, { signal: AbortSignal.timeout(PATIENCE_MILLIS) });
      if (answer.ok) {
        this.tree = await answer.json();
        this.icicle.show(this.options.all.checked ? this.tree : fold(this.tree));
      } else {
        this.note.textContent = await answer.text();
      }
    } catch {
      // The node is away; the events tell. The next view asks again.
    } finally {
      this.busy = false;
      if (this.again) {
        this.refresh(true);
      }
    }
  }

  describe(node) {
    const what = node.folded ? node.folded.join('\n') : node.name;
    return `${what}: ${bytes(node.bytes)}, ${percent(node.bytes, this.tree.bytes)}`;
  }

  tell(node) {
    // What changes by itself is read out only to those who are here.
    this.note.setAttribute('aria-live', this.icicle.hasFocus ? 'polite' : 'off');
    const what = node.folded ? `${node.name}, ${node.folded[0]} to ${node.folded.at(-1)}` : node.name;
    const said = node.bytes === 0
      ? `${what}: no sample of it is live.`
      : `${what}: about ${bytes(node.bytes)}, ${percent(node.bytes, this.tree.bytes)} of ${bytes(this.tree.bytes)}.`;
    if (this.note.textContent !== said) {
      this.note.textContent = said;
    }
  }
}

function kind(node, depth) {
  return depth === 0 ? 'root' : node.folded ? 'folded' : LIBRARY.test(node.name) ? 'library' : 'own';
}

function text(node, depth) {
  const { call, source } = shortFrame(node.name);
  const where = depth === 0 || node.folded ? node.name
    : call + (source.includes(':') ? source.slice(source.indexOf(':')) : '');
  return `${where} ${bytes(node.bytes)}`;
}

/**
 * Libraries that only pass a call on, one bar for all of them in a row, which is told from others by
 * the first of them: two lines of a method may lead to the same last one.
 */
function fold(node) {
  const chain = [];
  let last = node;
  while (last.children.length === 1 && LIBRARY.test(last.name) && last.children[0].bytes === last.bytes
      && LIBRARY.test(last.children[0].name)) {
    chain.push(last.name);
    last = last.children[0];
  }
  const children = last.children.map(fold);
  if (chain.length === 0) {
    return { ...last, children };
  }
  const folded = [...chain, last.name];
  const name = `${folded.length} calls to ${shortFrame(last.name).call}`;
  return { id: node.name, name, bytes: node.bytes, children, folded };
}
