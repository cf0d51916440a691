package dev.weir.benchmarks.alloc;

/** What the buffers of the alloc suite go through. */
public enum AllocPattern {
  /** Released at once. */
  ALLOCATE_RELEASE("allocate-release", AllocateRelease.class, "allocateRelease"),
  /** 1,024 live, first in, first out. */
  RING("ring-1024", LiveBuffers.class, "ring"),
  /** 1,024 live, any of them replaced by one of random size up to {@code bytes}. */
  RANDOM("random-1024", LiveBuffers.class, "random");

  private final String label;
  private final String benchmark;

  AllocPattern(String label, Class<?> type, String method) {
    this.label = label;
    this.benchmark = type.getName() + "." + method;
  }

  /** The name on the command line and in reports. */
  public String label() {
    return label;
  }

  String benchmark() {
    return benchmark;
  }
}
