/**
 * The node's HTTP/1.1 side. A connection handles one request at a time; everything that blocks (the
 * disk) runs on {@code weir-io} threads, everything else of a connection on its event loop.
 */
@NullMarked
package dev.weir.server.http;

import org.jspecify.annotations.NullMarked;
