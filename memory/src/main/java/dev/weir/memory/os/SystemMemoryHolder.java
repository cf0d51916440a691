package dev.weir.memory.os;

import java.util.Locale;

/** Chooses the machine's {@link NativeMemory} once. */
final class SystemMemoryHolder {
  static final NativeMemory INSTANCE = choose(System.getProperty("os.name", ""));

  private SystemMemoryHolder() {}

  static NativeMemory choose(String osName) {
    return osName.toLowerCase(Locale.ROOT).startsWith("linux")
        ? new LinuxNativeMemory()
        : new PortableNativeMemory();
  }
}
