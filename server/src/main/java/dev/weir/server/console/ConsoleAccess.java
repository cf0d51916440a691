package dev.weir.server.console;

/** Who may look at the console. */
public enum ConsoleAccess {
  /** Nobody. */
  OFF,
  /** Clients on this machine that talk to it under its own name. */
  LOOPBACK,
  /** Whoever reaches the node. */
  ANYWHERE
}
