package dev.weir.netty;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.memory.PoolOptions;
import dev.weir.memory.hardening.Hardening;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a buffer answers to a call that makes no sense, or that comes after its last release, is
 * what Netty's pooled buffer answers: a value, or an exception of the same class with the same
 * message, but for the buffer's class in it. Retained slices are left out: they count as those of
 * Netty's adaptive buffers do.
 */
class CornersAsNettyTest {
  private static final int BYTES = 16;

  @RegisterExtension static final LeakDetection DETECTION = new LeakDetection();

  @RegisterExtension static final PoolUnderTest MEMORY = new PoolUnderTest();

  @RegisterExtension
  static final PoolUnderTest HARDENED =
      new PoolUnderTest(PoolOptions.withLimit(64L << 20).withHardening(Hardening.full()));

  private enum Kind {
    HEAP {
      @Override
      ByteBuf of(ByteBufAllocator allocator) {
        return allocator.heapBuffer(BYTES, 2 * BYTES);
      }
    },
    DIRECT {
      @Override
      ByteBuf of(ByteBufAllocator allocator) {
        return allocator.directBuffer(BYTES, 2 * BYTES);
      }
    };

    /** A buffer of 16 bytes that may come to 32. */
    abstract ByteBuf of(ByteBufAllocator allocator);
  }

  private interface Call {
    Object on(ByteBuf buffer) throws Exception;
  }

  private static final Map<String, Call> CALLS = calls();

  private static Map<String, Call> calls() {
    Map<String, Call> calls = new LinkedHashMap<>();
    calls.put("capacity", ByteBuf::capacity);
    calls.put("maxCapacity", ByteBuf::maxCapacity);
    calls.put("maxFastWritableBytes", buffer -> buffer.maxFastWritableBytes() >= 0);
    calls.put("isReadable", ByteBuf::isReadable);
    calls.put("isReadable(n)", buffer -> buffer.isReadable(5));
    calls.put("isWritable(n)", buffer -> buffer.isWritable(50));
    calls.put("hasArray", ByteBuf::hasArray);
    calls.put("isDirect", ByteBuf::isDirect);
    calls.put("isContiguous", ByteBuf::isContiguous);
    calls.put("unwrap", ByteBuf::unwrap);
    calls.put("nioBufferCount", ByteBuf::nioBufferCount);
    calls.put("hasMemoryAddress", ByteBuf::hasMemoryAddress);
    calls.put("refCnt", ByteBuf::refCnt);
    calls.put("toString", ByteBuf::toString);
    calls.put("release(0)", buffer -> buffer.release(0));
    calls.put("release(5)", buffer -> buffer.release(5));
    calls.put("retain(0)", buffer -> buffer.retain(0) == buffer);
    calls.put("touch", buffer -> buffer.touch("hint") == buffer);
    calls.put("alloc", buffer -> buffer.alloc() != null);
    calls.put("asReadOnly", buffer -> buffer.asReadOnly().isReadOnly());
    calls.put("duplicate", buffer -> buffer.duplicate().capacity());
    calls.put("slice", buffer -> buffer.slice().capacity());
    calls.put("discardReadBytes", buffer -> buffer.discardReadBytes().capacity());
    calls.put("discardSomeReadBytes", buffer -> buffer.discardSomeReadBytes().capacity());
    calls.put("clear", buffer -> buffer.clear().writerIndex());
    calls.put("readSlice", buffer -> buffer.readSlice(9));
    calls.put("readBytes", buffer -> buffer.readBytes(9));
    calls.put("readByte", buffer -> buffer.skipBytes(8).readByte());
    calls.put("ensureWritable", buffer -> buffer.ensureWritable(25));
    calls.put("ensureWritable(-1)", buffer -> buffer.ensureWritable(-1));
    calls.put("ensureWritable(force)", buffer -> buffer.ensureWritable(25, true));
    calls.put("setIndex", buffer -> buffer.setIndex(9, 8));
    calls.put("readerIndex", buffer -> buffer.readerIndex(9));
    calls.put("writerIndex", buffer -> buffer.writerIndex(17));
    calls.put("forEachByte", buffer -> buffer.forEachByte(10, 7, value -> true));
    calls.put("indexOf", buffer -> buffer.indexOf(0, 8, (byte) 7));
    calls.put("bytesBefore", buffer -> buffer.bytesBefore(10, 7, (byte) 7));
    calls.put("equals", buffer -> buffer.equals(Unpooled.EMPTY_BUFFER));
    calls.put("hashCode", buffer -> buffer.hashCode());
    calls.put("isContiguous", ByteBuf::isContiguous);
    calls.put("writeZero", buffer -> buffer.writeZero(25));
    calls.put("writeZero(-1)", buffer -> buffer.writeZero(-1));
    calls.put("setZero(-1)", buffer -> buffer.setZero(0, -1));
    calls.put("writeLong", buffer -> buffer.writerIndex(12).writeLong(1).capacity());
    calls.put("stream", buffer -> buffer.writeBytes(new ByteArrayInputStream(new byte[99]), 30));
    for (int capacity : new int[] {-1, 0, BYTES, BYTES + 1, 2 * BYTES, 2 * BYTES + 1}) {
      calls.put("capacity(" + capacity + ")", buffer -> buffer.capacity(capacity).capacity());
    }
    for (int at : new int[] {-1, 9, BYTES - 1, BYTES, Integer.MAX_VALUE}) {
      putSingles(calls, at);
      for (int length : new int[] {-1, 0, 1, 8, Integer.MAX_VALUE}) {
        putRanges(calls, at, length);
      }
    }
    return calls;
  }

  private static void putSingles(Map<String, Call> calls, int at) {
    calls.put("getByte " + at, buffer -> buffer.getByte(at) * 0);
    calls.put("getShort " + at, buffer -> buffer.getShort(at) * 0);
    calls.put("getShortLE " + at, buffer -> buffer.getShortLE(at) * 0);
    calls.put("getMedium " + at, buffer -> buffer.getMedium(at) * 0);
    calls.put("getInt " + at, buffer -> buffer.getInt(at) * 0);
    calls.put("getLong " + at, buffer -> buffer.getLong(at) * 0);
    calls.put("getLongLE " + at, buffer -> buffer.getLongLE(at) * 0);
    calls.put("setByte " + at, buffer -> buffer.setByte(at, 1).capacity());
    calls.put("setShort " + at, buffer -> buffer.setShort(at, 1).capacity());
    calls.put("setMedium " + at, buffer -> buffer.setMedium(at, 1).capacity());
    calls.put("setInt " + at, buffer -> buffer.setInt(at, 1).capacity());
    calls.put("setLong " + at, buffer -> buffer.setLong(at, 1).capacity());
  }

  private static void putRanges(Map<String, Call> calls, int at, int length) {
    String where = " " + at + " " + length;
    byte[] array = new byte[4];
    ByteBuf other = Unpooled.wrappedBuffer(new byte[4]);
    calls.put("getBytes array" + where, buffer -> buffer.getBytes(at, array, 1, length).capacity());
    calls.put("setBytes array" + where, buffer -> buffer.setBytes(at, array, 1, length).capacity());
    calls.put("getBytes buffer" + where, buffer -> buffer.getBytes(at, other, 1, length).refCnt());
    calls.put("setBytes buffer" + where, buffer -> buffer.setBytes(at, other, 1, length).refCnt());
    calls.put("getBytes index" + where, buffer -> buffer.getBytes(0, array, at, length).refCnt());
    calls.put("setBytes index" + where, buffer -> buffer.setBytes(0, other, at, length).refCnt());
    calls.put(
        "getBytes stream" + where,
        buffer -> buffer.getBytes(at, new ByteArrayOutputStream(), length).refCnt());
    calls.put(
        "setBytes stream" + where,
        buffer -> buffer.setBytes(at, new ByteArrayInputStream(new byte[4]), length));
    if (length != 0) { // Netty's pooled buffers do not look where nothing is set.
      calls.put("setZero" + where, buffer -> buffer.setZero(at, length).capacity());
    }
    calls.put("slice" + where, buffer -> buffer.slice(at, length).capacity());
    calls.put("nioBuffer" + where, buffer -> buffer.nioBuffer(at, length).remaining());
    calls.put("nioBuffers" + where, buffer -> buffer.nioBuffers(at, length).length);
    calls.put("internal" + where, buffer -> buffer.internalNioBuffer(at, length).remaining());
    calls.put(
        "copy" + where,
        buffer -> {
          ByteBuf copy = buffer.copy(at, length);
          copy.release();
          return copy.capacity();
        });
    if (length >= 0 && length <= 8) {
      calls.put(
          "getBytes nio" + where,
          buffer -> buffer.getBytes(at, ByteBuffer.allocate(length)).capacity());
      calls.put(
          "setBytes nio" + where,
          buffer -> buffer.setBytes(at, ByteBuffer.allocate(length)).capacity());
    }
  }

  /** A buffer of Netty's that is watched names both itself and the one inside. */
  @BeforeEach
  void watchNone() {
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @ParameterizedTest
  @EnumSource
  void aLiveBufferAnswersAsNettys(Kind kind) {
    assertSame(kind, buffer -> buffer);
  }

  @ParameterizedTest
  @EnumSource
  void aReleasedBufferAnswersAsNettys(Kind kind) {
    assertSame(
        kind,
        buffer -> {
          buffer.release();
          return buffer;
        });
  }

  @ParameterizedTest
  @EnumSource
  void aSliceOfAReleasedBufferAnswersAsNettys(Kind kind) {
    assertSame(
        kind,
        buffer -> {
          ByteBuf slice = buffer.slice(0, BYTES);
          buffer.release();
          return slice;
        });
  }

  /** Its messages tell more, with the stacks of the allocation and the release. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aHardenedBufferThrowsWhatNettysThrows(boolean released) {
    List<String> differences =
        differences(
            Kind.DIRECT,
            HARDENED.allocator(),
            buffer -> {
              if (released) {
                buffer.release();
              }
              return buffer;
            },
            answer -> answer.replaceFirst("(?s)Exception: .*", "Exception"));
    assertThat(differences).isEmpty();
  }

  private static void assertSame(Kind kind, Function<ByteBuf, ByteBuf> state) {
    assertThat(differences(kind, MEMORY.allocator(), state, answer -> answer)).isEmpty();
  }

  private static List<String> differences(
      Kind kind,
      ByteBufAllocator weir,
      Function<ByteBuf, ByteBuf> state,
      UnaryOperator<String> compared) {
    PooledByteBufAllocator netty = new PooledByteBufAllocator(/* preferDirect= */ true);
    List<String> differences = new ArrayList<>();
    CALLS.forEach((name, call) -> {
      String wanted = answer(state, kind.of(netty), call);
      String found = answer(state, kind.of(weir), call);
      if (!compared.apply(found).equals(compared.apply(wanted))) {
        differences.add(name + ": " + found + ", and Netty's: " + wanted);
      }
    });
    return differences;
  }

  private static String answer(Function<ByteBuf, ByteBuf> state, ByteBuf fresh, Call call) {
    ByteBuf buffer = state.apply(fresh.writeLong(1));
    try {
      return withoutClass(String.valueOf(call.on(buffer)));
    } catch (Throwable thrown) {
      return withoutClass(thrown.getClass().getSimpleName() + ": " + thrown.getMessage());
    } finally {
      if (fresh.refCnt() > 0) {
        fresh.release(fresh.refCnt());
      }
    }
  }

  /** Without the name of the buffer's class, or of its slice's. */
  private static String withoutClass(String text) {
    return text.replaceAll("\\w+ByteBuf\\(", "ByteBuf(");
  }
}
