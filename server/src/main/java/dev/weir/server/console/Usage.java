package dev.weir.server.console;

/** What the node's memory is for: a budget below the root for each, and clients below that. */
public enum Usage {
  /** What sockets are read with, and heads of answers. */
  CONNECTIONS("connections"),
  /** Bodies that are collected before they are stored. */
  UPLOADS("uploads"),
  /** What is sent. */
  RESPONSES("responses");

  private final String budgetName;

  Usage(String budgetName) {
    this.budgetName = budgetName;
  }

  /** The name of its budget. */
  public String budgetName() {
    return budgetName;
  }

  /** Whether a budget below the root has clients below it. */
  static boolean isOf(String budgetName) {
    for (Usage usage : values()) {
      if (usage.budgetName.equals(budgetName)) {
        return true;
      }
    }
    return false;
  }
}
