package dev.weir.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import java.util.Set;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Netty's leak detector for one test class: its reports are kept, and each test finds it at the
 * level that it had before.
 */
final class LeakDetection
    implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback {
  private static final Set<String> UNWATCHED = Set.of("WeirByteBuf", "WeirHeapByteBuf");

  private Level levelBefore = ResourceLeakDetector.getLevel();

  @Override
  public void beforeAll(ExtensionContext context) {
    LeakReports.recording = true;
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    levelBefore = ResourceLeakDetector.getLevel();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    ResourceLeakDetector.setLevel(levelBefore);
    LeakReports.REPORTS.clear();
  }

  @Override
  public void afterAll(ExtensionContext context) {
    LeakReports.recording = false;
  }

  /** The first buffer that the detector samples, which may take hundreds of allocations. */
  static ByteBuf tracked(ByteBufAllocator allocator) {
    ByteBuf buffer = allocator.buffer(64);
    while (UNWATCHED.contains(buffer.getClass().getSimpleName())) {
      buffer.release();
      buffer = allocator.buffer(64);
    }
    return buffer;
  }
}
