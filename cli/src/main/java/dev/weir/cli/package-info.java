/**
 * The weir command: one root command, the subcommands of the other modules, and how errors read.
 */
@NullMarked
package dev.weir.cli;

import org.jspecify.annotations.NullMarked;
