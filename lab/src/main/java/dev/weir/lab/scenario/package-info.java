/** What scenarios have in common: rows, the order of a run, and what it leaves when it is cut. */
@NullMarked
package dev.weir.lab.scenario;

import org.jspecify.annotations.NullMarked;
