/** Evidence: scenarios and traces that compare allocators, each in a JVM of its own. */
@NullMarked
package dev.weir.lab;

import org.jspecify.annotations.NullMarked;
