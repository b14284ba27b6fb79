# Shows a folder of points in Blender: run it in the Scripting workspace of a saved file beside the folder.
# Every frame shows one file; the attributes velocity, id and species are there for geometry nodes.
import glob

import bpy
import numpy as np

FOLDER = "//points"
ROW = np.dtype([("place", "<f4", 3), ("velocity", "<f4", 3), ("id", "<u4"), ("species", "u1")])

files = sorted(glob.glob(bpy.path.abspath(FOLDER) + "/tick_*.ply"))
mesh = bpy.data.meshes.new("flock")
bpy.context.collection.objects.link(bpy.data.objects.new("flock", mesh))


def show(scene, _=None):
    data = open(files[min(scene.frame_current, len(files) - 1)], "rb").read()
    agents = np.frombuffer(data, ROW, offset=data.index(b"end_header\n") + len("end_header\n"))
    mesh.clear_geometry()
    mesh.vertices.add(len(agents))
    mesh.vertices.foreach_set("co", agents["place"].ravel())
    velocity = mesh.attributes.new("velocity", "FLOAT_VECTOR", "POINT")
    velocity.data.foreach_set("vector", agents["velocity"].ravel())
    for name in ("id", "species"):
        mesh.attributes.new(name, "INT", "POINT").data.foreach_set("value", agents[name].astype("i4"))
    mesh.update()


bpy.app.handlers.frame_change_pre.append(show)
show(bpy.context.scene)
