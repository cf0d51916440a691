/** {@code lab run all}: every scenario that has peers, one after the other, into one report. */
@NullMarked
package dev.weir.lab.all;

import org.jspecify.annotations.NullMarked;
