/** A pool as a managed bean, beside the JDK's own buffer pools. */
@NullMarked
package dev.weir.memory.jmx;

import org.jspecify.annotations.NullMarked;
