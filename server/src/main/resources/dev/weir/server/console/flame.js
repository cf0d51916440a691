import { ask } from './ask.js';
import { bytes, percent } from './format.js';
import { Icicle } from './icicle.js';
import { shortFrame } from './places.js';

const REFRESH_MILLIS = 2000;

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
    /** Of the profile that is asked for now. */
    this.asking = null;
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

  /** Asks for a new profile: if the last one is a while ago, or now, in place of one that is on its way. */
  async refresh(now = false) {
    if (!now && (this.asking || performance.now() - this.fetchedMillis < REFRESH_MILLIS)) {
      return;
    }
    this.asking?.abort();
    const asking = new AbortController();
    this.asking = asking;
    this.fetchedMillis = performance.now();
    try {
      const answer = await ask(`flame?${this.query}`, asking.signal);
      if (answer.ok) {
        this.tree = await answer.json();
        this.icicle.show(this.options.all.checked ? this.tree : fold(this.tree));
      } else {
        this.say(await answer.text());
      }
    } catch {
      // The node is away, of which the events tell, or another profile is wanted. The next view asks again.
    } finally {
      if (this.asking === asking) {
        this.asking = null;
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
    this.say(said);
  }

  say(text) {
    if (this.note.textContent !== text) {
      this.note.textContent = text;
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
