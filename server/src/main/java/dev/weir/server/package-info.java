/** The node: an HTTP server for append-only streams in bounded memory. */
@NullMarked
package dev.weir.server;

import org.jspecify.annotations.NullMarked;
