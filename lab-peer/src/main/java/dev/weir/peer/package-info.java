/**
 * The process under test for any version of Netty from 4.1.51 on and any Java from 8 on: a server
 * of uploads, and a player of allocations. It has no class of the lab, which starts it and talks to
 * it in lines.
 */
@NullMarked
package dev.weir.peer;

import org.jspecify.annotations.NullMarked;
