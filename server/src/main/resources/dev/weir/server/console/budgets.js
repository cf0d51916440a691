import { factsLine, showFacts } from './facts.js';
import { bytes, element } from './format.js';

const LEVELS = 5;

/** Narrower bars are left out. */
const SMALLEST = 0.002;

/** The tree of budgets as an icicle: children below their parent, as wide as what is charged. */
export class Budgets {
  /** @param chosen is told the path of the budget that is shown alone, empty for all of them */
  constructor(holder, title, facts, chosen) {
    this.holder = holder;
    this.title = title;
    this.facts = facts;
    this.chosen = chosen;
    this.path = [];
  }

  show(pool) {
    this.pool = pool;
    this.root = pool.budgets;
    const chain = [this.root];
    for (const name of this.path) {
      const next = chain.at(-1).children.find(child => child.name === name);
      if (!next) {
        break;
      }
      chain.push(next);
    }
    this.path = chain.slice(1).map(budget => budget.name);
    this.draw(chain);
  }

  draw(chain) {
    const focused = document.activeElement?.dataset?.path;
    const shown = chain.at(-1);
    const rows = [[this.bar(shown, 1, this.path, chain.length > 1)]];
    const whole = Math.max(1, shown.chargedBytes);
    let level = [{ budget: shown, path: this.path }];
    while (rows.length <= LEVELS && level.some(entry => entry.budget)) {
      const row = [];
      level = level.flatMap(entry => this.below(entry, whole, row));
      if (row.some(bar => bar.className !== 'gap')) {
        rows.push(row);
      }
    }
    this.holder.replaceChildren(
      ...rows.map(row => element('div', { className: 'level' }, ...row)));
    if (focused !== undefined) {
      this.holder.querySelector(`[data-path="${CSS.escape(focused)}"]`)?.focus();
    }
    this.title.textContent = [this.root.name, ...this.path].join('/');
    showFacts(this.facts, shown, shown === this.root ? this.pool : undefined);
    this.chosen(this.path.length === 0 ? '' : [this.root.name, ...this.path].join('/'));
  }

  /** Puts what lies below one entry into a row, and tells the entries of the row after it. */
  below({ budget, path, share }, whole, row) {
    if (!budget) {
      row.push(gap(share));
      return [{ share }];
    }
    const next = [];
    for (const child of budget.children) {
      const childShare = child.chargedBytes / whole;
      if (childShare > SMALLEST) {
        const childPath = [...path, child.name];
        row.push(this.bar(child, childShare, childPath, false));
        next.push({ budget: child, path: childPath });
      }
    }
    if (budget.otherBytes / whole > SMALLEST) {
      row.push(rest(`${budget.otherChildren} more`, budget.otherBytes, whole));
      next.push({ share: budget.otherBytes / whole });
    }
    if (budget.ownBytes / whole > SMALLEST) {
      const own = budget.ownBytes / whole;
      row.push(budget.children.length > 0 ? rest('itself', budget.ownBytes, whole) : gap(own));
      next.push({ share: own });
    }
    return next;
  }

  bar(budget, share, path, leadsBack) {
    const pressed = budget.pressure !== 'none';
    const bar = element('button', {
      type: 'button',
      className: `budget ${pressed ? budget.pressure : ''}`,
      textContent: `${budget.name} ${bytes(budget.chargedBytes)}${pressed ? `, pressure ${budget.pressure}` : ''}`,
      title: factsLine(budget),
    });
    bar.dataset.path = path.join('/');
    bar.style.width = `${share * 100}%`;
    bar.addEventListener('click', () => {
      this.path = leadsBack ? path.slice(0, -1) : path;
      this.show(this.pool);
    });
    return bar;
  }
}

function gap(share) {
  const made = element('span', { className: 'gap' });
  made.style.width = `${share * 100}%`;
  return made;
}

function rest(text, size, whole) {
  const made = element('span', { className: 'rest', textContent: `${text} ${bytes(size)}` });
  made.style.width = `${size / whole * 100}%`;
  return made;
}
