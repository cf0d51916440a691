package dev.weir.memory.budget;

/** The text that tells where in its tree a budget is. Thread-safe. */
public final class BudgetPath {
  private BudgetPath() {}

  /** The path of a root of that name. */
  public static String of(String rootName) {
    return part(rootName);
  }

  /** The path of a child of that name below a budget of that path. */
  public static String below(String path, String childName) {
    return path + "/" + part(childName);
  }

  /** A name without a slash: only those between budgets are left in a path. */
  private static String part(String name) {
    return name.replace("%", "%25").replace("/", "%2F");
  }
}
