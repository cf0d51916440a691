/** Results as a table for people and as JSON for programs. */
@NullMarked
package dev.weir.benchmarks.report;

import org.jspecify.annotations.NullMarked;
