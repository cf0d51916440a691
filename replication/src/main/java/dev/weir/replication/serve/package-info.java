/** The server: manifests and bytes over HTTP/1.1. */
@NullMarked
package dev.weir.replication.serve;

import org.jspecify.annotations.NullMarked;
