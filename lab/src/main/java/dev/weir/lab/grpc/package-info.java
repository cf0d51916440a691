/** Containers over gRPC: pushed without a look, with flow control, and polled. */
@NullMarked
package dev.weir.lab.grpc;

import org.jspecify.annotations.NullMarked;
