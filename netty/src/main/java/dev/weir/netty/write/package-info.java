/**
 * What leaves a service: writes that lose no buffer whatever becomes of them, and bounds on what
 * waits to be sent.
 */
@NullMarked
package dev.weir.netty.write;

import org.jspecify.annotations.NullMarked;
