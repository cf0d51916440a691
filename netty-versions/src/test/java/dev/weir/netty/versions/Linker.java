package dev.weir.netty.versions;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.FieldRefEntry;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.constant.ClassDesc;
import java.net.URL;
import java.net.URLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Resolves what class files refer to as the JVM would: each class, and each field and method by
 * name and descriptor, in its owner and in what that inherits from.
 */
final class Linker {
  /** Methods whose descriptor is that of the call. */
  private static final Set<String> OF_ANY_SHAPE =
      Set.of("java/lang/invoke/MethodHandle", "java/lang/invoke/VarHandle");

  private final ClassLoader files;
  private final Map<String, ClassModel> models = new HashMap<>();

  /**
   * Of what is to be linked.
   *
   * @param files finds the class files, the JDK's too
   */
  Linker(ClassLoader files) {
    this.files = files;
  }

  /** What {@code className} refers to and is not there. */
  Set<String> missing(String className) {
    Set<String> missing = new TreeSet<>();
    for (PoolEntry entry : model(className).constantPool()) {
      if (!resolves(entry)) {
        missing.add(describe(entry));
      }
    }
    return missing;
  }

  private boolean resolves(PoolEntry entry) {
    return switch (entry) {
      case ClassEntry type -> isThere(type.asSymbol());
      case FieldRefEntry field ->
          inherits(
              field.owner(),
              owner ->
                  owner.fields().stream()
                      .anyMatch(found ->
                          found.fieldName().equals(field.name())
                              && found.fieldType().equals(field.type())));
      case MemberRefEntry method -> hasMethod(method);
      default -> true;
    };
  }

  private boolean isThere(ClassDesc type) {
    ClassDesc element = type;
    while (element.isArray()) {
      element = element.componentType();
    }
    return element.isPrimitive() || model(internalName(element)) != null;
  }

  private boolean hasMethod(MemberRefEntry method) {
    return inherits(
        method.owner(),
        owner ->
            OF_ANY_SHAPE.contains(owner.thisClass().asInternalName())
                || owner.methods().stream()
                    .anyMatch(found ->
                        found.methodName().equals(method.name())
                            && found.methodType().equals(method.type())));
  }

  /**
   * Whether the class, or one that it inherits from, is as asked; arrays have what objects have.
   */
  private boolean inherits(ClassEntry type, Predicate<ClassModel> asked) {
    return inherits(type.asSymbol().isArray() ? "java/lang/Object" : type.asInternalName(), asked);
  }

  private boolean inherits(String className, Predicate<ClassModel> asked) {
    ClassModel type = model(className);
    if (type == null) {
      return false;
    }
    return asked.test(type)
        || Stream.concat(type.superclass().stream(), type.interfaces().stream())
            .anyMatch(above -> inherits(above.asInternalName(), asked));
  }

  private @Nullable ClassModel model(String className) {
    return models.computeIfAbsent(className, this::read);
  }

  private @Nullable ClassModel read(String className) {
    URL url = files.getResource(className + ".class");
    if (url == null) {
      return null;
    }
    try {
      URLConnection connection = url.openConnection();
      // Class loaders share a cached jar, and the first one that closes ends the reads of the
      // others.
      connection.setUseCaches(false);
      try (InputStream file = connection.getInputStream()) {
        return ClassFile.of().parse(file.readAllBytes());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String internalName(ClassDesc type) {
    String descriptor = type.descriptorString();
    return descriptor.substring(1, descriptor.length() - 1);
  }

  private static String describe(PoolEntry entry) {
    return entry instanceof MemberRefEntry member
        ? member.owner().asInternalName()
            + "."
            + member.name().stringValue()
            + " "
            + member.type().stringValue()
        : ((ClassEntry) entry).asInternalName();
  }
}
