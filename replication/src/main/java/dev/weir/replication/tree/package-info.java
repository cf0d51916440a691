/** Directory trees whose paths are followed component by component, and never over links. */
@NullMarked
package dev.weir.replication.tree;

import org.jspecify.annotations.NullMarked;
