/**
 * Events for JDK Flight Recorder: sampled allocations, refusals, purges, pressure, pools and
 * budgets. Without the module {@code jdk.jfr} there are none; while nothing records, none of their
 * classes is loaded.
 */
@NullMarked
package dev.weir.memory.jfr;

import org.jspecify.annotations.NullMarked;
