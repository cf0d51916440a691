package dev.weir.compression.zstd;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Optional;

/** The libraries that a test is to hold for. */
public enum EachZstd {
  SYSTEM {
    @Override
    public ZstdLibrary library() {
      Optional<SystemZstd> system = SystemZstd.find();
      assumeTrue(system.isPresent(), "this system has no libzstd.so.1");
      return system.get();
    }
  },
  JNI {
    @Override
    public ZstdLibrary library() {
      return JniZstd.load();
    }
  };

  /** Skips the test where the system has none. */
  public abstract ZstdLibrary library();
}
