/** Other versions of Netty, each in a JVM of its own, on the Java of its time. */
@NullMarked
package dev.weir.lab.peer;

import org.jspecify.annotations.NullMarked;
