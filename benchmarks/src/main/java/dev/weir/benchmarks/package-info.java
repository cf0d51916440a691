/** JMH benchmarks of Weir beside Netty's own allocators. */
@NullMarked
package dev.weir.benchmarks;

import org.jspecify.annotations.NullMarked;
