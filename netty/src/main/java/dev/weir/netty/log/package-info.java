/** What operators hear of. Exported to the modules of Weir alone. */
@NullMarked
package dev.weir.netty.log;

import org.jspecify.annotations.NullMarked;
