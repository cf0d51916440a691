/** A store at rest: how a process begins with one, and how a doctor looks at it. */
@NullMarked
package dev.weir.streams.recovery;

import org.jspecify.annotations.NullMarked;
