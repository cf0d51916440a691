package dev.weir.memory;

import dev.weir.memory.budget.Budget;

/**
 * What somebody waits for.
 *
 * @param full the budget that has no room for it; the root if pages are missing
 */
record Shortage(Budget full, long bytes) {}
