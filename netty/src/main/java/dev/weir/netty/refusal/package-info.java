/** What an allocator refuses. Exported to the modules of Weir alone. */
@NullMarked
package dev.weir.netty.refusal;

import org.jspecify.annotations.NullMarked;
