/** What comes in, through decoders that a refusal of memory must not leave with a hole. */
@NullMarked
package dev.weir.netty.inbound;

import org.jspecify.annotations.NullMarked;
