/** How close a budget is to its limit, and those who want to hear of it. */
@NullMarked
package dev.weir.memory.pressure;

import org.jspecify.annotations.NullMarked;
