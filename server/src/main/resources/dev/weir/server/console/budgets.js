import { factsLine, showFacts } from './facts.js';
import { bytes } from './format.js';
import { Icicle } from './icicle.js';

const LEVELS = 5;

/** The tree of budgets, as wide as what is charged, and the figures of the one that is chosen. */
export class Budgets {
  /** @param chosen is told the path of the budget that is shown alone, empty for all of them */
  constructor(holder, title, facts, chosen) {
    this.title = title;
    this.facts = facts;
    this.chosen = chosen;
    this.icicle = new Icicle(holder, { kind, text, title: node => node.budget ? factsLine(node.budget) : text(node), levels: LEVELS },
      { zoomed: () => this.tell() });
  }

  show(pool) {
    this.pool = pool;
    this.icicle.show(tree(pool.budgets));
    this.tell();
  }

  tell() {
    const { budget } = this.icicle.chosen;
    const isRoot = budget === this.pool.budgets;
    const path = [this.pool.budgets.name, ...this.icicle.names].map(inPath).join('/');
    this.title.textContent = path;
    showFacts(this.facts, budget, isRoot ? this.pool : undefined);
    this.chosen(isRoot ? '' : path);
  }
}

/** A name as the node writes it in a budget's path. */
function inPath(name) {
  return name.replaceAll('%', '%25').replaceAll('/', '%2F');
}

function tree(budget) {
  const children = budget.children.map(tree);
  if (budget.otherChildren > 0) {
    children.push(rest(`${budget.otherChildren} more`, budget.otherBytes));
  }
  if (children.length > 0) {
    children.push(rest('itself', budget.ownBytes));
  }
  return { id: budget.number, name: budget.name, bytes: budget.chargedBytes, children, budget };
}

function rest(name, size) {
  return { name, bytes: size, children: [], rest: true };
}

function kind({ budget, rest: isRest }) {
  return isRest ? 'rest' : `budget ${budget.pressure === 'none' ? '' : budget.pressure}`;
}

function text({ name, bytes: size, budget }) {
  const pressed = budget && budget.pressure !== 'none';
  return `${name} ${bytes(size)}${pressed ? `, pressure ${budget.pressure}` : ''}`;
}
