/**
 * {@code weir top}: a node's memory in a terminal. Asks the node over HTTP like any other client.
 */
@NullMarked
package dev.weir.server.top;

import org.jspecify.annotations.NullMarked;
