/** The node beside other servers of streams: throughput, delays, memory and what goes to disks. */
@NullMarked
package dev.weir.benchmarks.streams;

import org.jspecify.annotations.NullMarked;
