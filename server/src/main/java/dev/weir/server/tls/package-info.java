/** TLS: the files that a node proves who it is with, and the engines that do the work. */
@NullMarked
package dev.weir.server.tls;

import org.jspecify.annotations.NullMarked;
