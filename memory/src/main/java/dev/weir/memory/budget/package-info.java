/** The tree of budgets: who holds how many bytes, and how many they may hold. */
@NullMarked
package dev.weir.memory.budget;

import org.jspecify.annotations.NullMarked;
