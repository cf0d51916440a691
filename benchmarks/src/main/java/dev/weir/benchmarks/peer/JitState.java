package dev.weir.benchmarks.peer;

/** What the JVM has seen of buffers when it compiles the code that is measured. */
public enum JitState {
  /**
   * Heap and direct buffers, slices, duplicates and composites of two allocators, as in services.
   */
  SERVICE("service"),
  /** Only the one kind that is measured: the best that a compiler can make of it. */
  ALONE("alone");

  private static final String PROPERTY = "weir.bench.jit";

  private final String label;

  JitState(String label) {
    this.label = label;
  }

  /** The name on the command line. */
  public String label() {
    return label;
  }

  /** Makes it the state of another JVM. */
  public String jvmFlag() {
    return "-D" + PROPERTY + "=" + label;
  }

  /** The state that this JVM is to have. */
  static JitState current() {
    return ALONE.label.equals(System.getProperty(PROPERTY)) ? ALONE : SERVICE;
  }
}
