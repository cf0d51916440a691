/** Load on a server of streams: appends, readers that catch up, readers that wait. */
@NullMarked
package dev.weir.benchmarks.streams.load;

import org.jspecify.annotations.NullMarked;
