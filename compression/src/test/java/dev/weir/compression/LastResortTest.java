package dev.weir.compression;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.compression.codec.Decoder;
import dev.weir.compression.codec.Encoder;
import dev.weir.compression.codec.Step;
import dev.weir.compression.context.Context;
import dev.weir.compression.context.ContextPool;
import dev.weir.compression.zstd.EachZstd;
import dev.weir.compression.zstd.ZstdDictionary;
import dev.weir.compression.zstd.ZstdLibrary;
import io.netty.buffer.ByteBuf;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What gives a lost context back refers to its memory and the charge alone, however indirectly: to
 * no object of the application, which would stay as long as the context is not collected, nor to
 * the context, which never would be. What a pool's own objects refer to is not looked at.
 */
class LastResortTest {
  private static final byte[] CONTENT = Texts.json(200_000, 1);
  private static final ZstdDictionary DICTIONARY = ZstdDictionary.of(Texts.dictionary(1_000));

  private final MemoryUnderTest memory = new MemoryUnderTest();
  private final ByteBuf source = memory.allocator.directBuffer(CONTENT.length);
  private final ByteBuf target = memory.allocator.directBuffer(4_096, 4_096);

  @AfterEach
  void release() {
    source.release();
    target.release();
    memory.close();
  }

  private static Stream<Arguments> codings() {
    Stream<Arguments> zstd =
        Arrays.stream(EachZstd.values())
            .flatMap(library ->
                Stream.of(true, false)
                    .map(with -> Arguments.of(ContentCoding.ZSTD, library, with)));
    return Stream.concat(
        zstd,
        Stream.of(ContentCoding.GZIP, ContentCoding.BROTLI)
            .map(coding -> Arguments.of(coding, EachZstd.JNI, /* withDictionary= */ false)));
  }

  private Compression compression(EachZstd zstd, boolean withDictionary) {
    return memory.compression(
        zstd.library(),
        withDictionary
            ? CompressionOptions.DEFAULT.withDictionaries(DICTIONARY, DICTIONARY)
            : CompressionOptions.DEFAULT);
  }

  @ParameterizedTest
  @MethodSource("codings")
  void anEncodersRefersToNothingElse(ContentCoding coding, EachZstd zstd, boolean withDictionary) {
    try (Compression compression = compression(zstd, withDictionary);
        Encoder encoder = compression.tryEncoder(coding, CONTENT.length)) {
      source.writeBytes(CONTENT);
      encoder.encode(source, target, Step.FLUSH);
      assertThat(target.isWritable()).as("the encoder is in the middle").isFalse();
      assertRefersToMemoryAlone(encoder);
    }
  }

  @ParameterizedTest
  @MethodSource("codings")
  void aDecodersRefersToNothingElse(ContentCoding coding, EachZstd zstd, boolean withDictionary) {
    try (Compression compression = compression(zstd, withDictionary);
        Decoder decoder = compression.decoder(coding)) {
      try (Encoder encoder = compression.tryEncoder(coding, CONTENT.length)) {
        source.writeBytes(
            Streams.encode(encoder, CONTENT, CONTENT.length, 10_000, memory.allocator));
      }
      decoder.decode(source, target);
      assertThat(target.isWritable()).as("the decoder is in the middle").isFalse();
      assertRefersToMemoryAlone(decoder);
    }
  }

  private void assertRefersToMemoryAlone(Object stream) {
    List<Object> actions = new ArrayList<>();
    for (Object reached : reachableFrom(stream, LastResortTest::isBesideTheStream)) {
      if (reached instanceof Cleaner.Cleanable) {
        actions.add(read(field(reached.getClass(), "action"), reached));
      }
    }
    actions.removeIf(action -> !action.getClass().getName().startsWith("dev.weir."));
    assertThat(actions).as("what gives back the memory of %s", stream).isNotEmpty();
    for (Object action : actions) {
      Set<Object> reached = reachableFrom(action, LastResortTest::isOfTheMemory);
      assertThat(reached).anyMatch(LastResortTest::isOfTheMemory);
      assertThat(reached).noneMatch(this::isOfTheApplication);
    }
  }

  /** Where looking ends: at the pool's own, and at what others have registered beside it. */
  private static boolean isOfTheMemory(Object object) {
    return object.getClass().getName().startsWith("dev.weir.memory.")
        || object instanceof Cleaner.Cleanable;
  }

  private static boolean isBesideTheStream(Object object) {
    return isOfTheMemory(object) || object instanceof ContextPool || object instanceof ZstdLibrary;
  }

  private boolean isOfTheApplication(Object object) {
    return object instanceof Context
        || object.getClass().getSimpleName().endsWith("DecoderContext")
        || object instanceof Encoder
        || object instanceof Decoder
        || object instanceof Compression
        || object instanceof Thread
        || object.getClass().getName().startsWith("io.netty.")
        || (object instanceof ByteBuffer buffer
            && (shows(buffer, source) || shows(buffer, target)));
  }

  private static boolean shows(ByteBuffer view, ByteBuf buffer) {
    if (!view.isDirect()) {
      return false;
    }
    long start = MemorySegment.ofBuffer(view.duplicate().clear()).address();
    long address = buffer.memoryAddress();
    return start < address + buffer.capacity() && address < start + view.capacity();
  }

  /** All objects that an object refers to, and it itself, but for what is behind some of them. */
  private static Set<Object> reachableFrom(Object start, Predicate<Object> isEnd) {
    Set<Object> reached = Collections.newSetFromMap(new IdentityHashMap<>());
    Deque<Object> left = new ArrayDeque<>();
    reached.add(start);
    left.add(start);
    while (!left.isEmpty()) {
      Object next = left.remove();
      if (isEnd.test(next) || isPlain(next)) {
        continue;
      }
      referents(next).filter(reached::add).forEach(left::add);
    }
    return reached;
  }

  /** What all share, and what keeps nothing. */
  private static boolean isPlain(Object object) {
    return object instanceof String
        || object instanceof Number
        || object instanceof Enum
        || object instanceof Class
        || object instanceof Reference;
  }

  private static Stream<Object> referents(Object object) {
    if (object instanceof Object[] array) {
      return Arrays.stream(array).filter(element -> element != null);
    }
    List<Object> all = new ArrayList<>();
    for (Class<?> type = object.getClass(); type != null; type = type.getSuperclass()) {
      for (Field field : type.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers()) && !field.getType().isPrimitive()) {
          Object value = read(field, object);
          if (value != null) {
            all.add(value);
          }
        }
      }
    }
    return all.stream();
  }

  private static Field field(Class<?> type, String name) {
    for (Class<?> each = type; each != null; each = each.getSuperclass()) {
      for (Field field : each.getDeclaredFields()) {
        if (field.getName().equals(name)) {
          return field;
        }
      }
    }
    throw new AssertionError(type + " has no field '" + name + "'");
  }

  private static Object read(Field field, Object of) {
    try {
      field.setAccessible(true);
      return field.get(of);
    } catch (IllegalAccessException impossible) {
      throw new AssertionError(field.toString(), impossible);
    }
  }
}
