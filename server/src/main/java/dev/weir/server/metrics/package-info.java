/** What the node counts, as Prometheus text. */
@NullMarked
package dev.weir.server.metrics;

import org.jspecify.annotations.NullMarked;
