/** Pages, slabs, heaps and budgets: bounded memory that depends on nothing but the JDK. */
@NullMarked
package dev.weir.memory;

import org.jspecify.annotations.NullMarked;
